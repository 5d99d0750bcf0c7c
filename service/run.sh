#!/bin/bash
# run.sh - serve until Ctrl-C: a private database unless DATABASE_URL or PG* names one, the newest
# schema and seed in it, then the daemon. What it started it stops. With arguments it runs gpuplan
# with them instead, on that database: run.sh import FEED.
set -euo pipefail
cd "$(dirname "$0")/.."
binary=${GPUPLAN_BINARY:-build/release/gpuplan}

# shellcheck disable=SC2317 # called by the trap
stop() {
    sql/private.sh stop var
}

if [ -z "${DATABASE_URL:-}${PGHOST:-}${PGSERVICE:-}" ]; then
    if exports=$(sql/private.sh env var 2>/dev/null); then
        echo "The private PostgreSQL under var/ is running already; who started it stops it"
    else
        echo "Starting the private PostgreSQL under var/ (Unix socket only)"
        exports=$(sql/private.sh start var)
        trap stop EXIT
    fi
    eval "$exports"
fi

echo "Bringing the schema and the catalogue up to date"
sql/migrate.sh
if [ $# -gt 0 ]; then
    "$binary" "$@"
    exit
fi
echo "Serving on http://${GPUPLAN_LISTEN:-127.0.0.1:8080}/ until Ctrl-C (health and metrics: http://${GPUPLAN_ADMIN_LISTEN:-127.0.0.1:8081}/ready)"

# The daemon drains on TERM; Ctrl-C reaches it and us alike.
trap '' INT
trap 'kill -TERM "$daemon"' TERM HUP
(trap - INT; exec "$binary") &
daemon=$!
status=0
while kill -0 "$daemon" 2>/dev/null; do
    status=0
    wait "$daemon" || status=$?
done
exit "$status"
