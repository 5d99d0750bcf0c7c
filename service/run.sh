#!/bin/bash
# run.sh - serve until Ctrl-C: a private database unless DATABASE_URL or PG* names one, the newest
# schema and seed in it, then the daemon. What it started it stops. With arguments it runs gpuplan
# with them instead, on that database (run.sh import FEED), or psql (run.sh psql).
set -euo pipefail
cd "$(dirname "$0")/.."
binary=${GPUPLAN_BINARY:-build/release/gpuplan}

# shellcheck disable=SC2317 # called by the trap
stop() {
    [ -z "${files:-}" ] || rm -rf "$files"
    [ -z "${started:-}" ] || sql/private.sh stop var
}
trap stop EXIT

if [ -z "${DATABASE_URL:-}${PGHOST:-}${PGSERVICE:-}" ]; then
    if exports=$(sql/private.sh env var 2>/dev/null); then
        echo "The private PostgreSQL under var/ is running already; stop it where it was started" >&2
    else
        echo "Starting the private PostgreSQL under var/ (Unix socket only)" >&2
        exports=$(sql/private.sh start var)
        started=yes
    fi
    eval "$exports"
fi

echo "Bringing the schema and the catalogue up to date" >&2
sql/migrate.sh
if [ "${1:-}" = psql ]; then
    psql --dbname "${DATABASE_URL:-}" "${@:2}"
    exit
elif [ $# -gt 0 ]; then
    "$binary" "$@"
    exit
fi

files=$(mktemp -d)
export GPUPLAN_PORT_FILE=${GPUPLAN_PORT_FILE:-$files/port} GPUPLAN_ADMIN_PORT_FILE=${GPUPLAN_ADMIN_PORT_FILE:-$files/admin}
rm -f "$GPUPLAN_PORT_FILE" "$GPUPLAN_ADMIN_PORT_FILE"

# with_port ADDRESS FILE: the address with the port in the file, which 0 stands for
with_port() {
    echo "${1%:*}:$(cat "$2")"
}

# The daemon drains on TERM; Ctrl-C reaches it and us alike.
trap '' INT
trap 'kill -TERM "$daemon"' TERM HUP
(trap - INT; exec "$binary") &
daemon=$!
# Both files are there once it listens.
until [ -s "$GPUPLAN_ADMIN_PORT_FILE" ] || ! kill -0 "$daemon" 2>/dev/null; do
    sleep 0.1
done
if [ -s "$GPUPLAN_ADMIN_PORT_FILE" ]; then
    echo "Serving on http://$(with_port "${GPUPLAN_LISTEN:-127.0.0.1:8080}" "$GPUPLAN_PORT_FILE")/ until Ctrl-C (health and metrics: http://$(with_port "${GPUPLAN_ADMIN_LISTEN:-127.0.0.1:8081}" "$GPUPLAN_ADMIN_PORT_FILE")/ready)"
fi
status=0
wait "$daemon" || status=$?
while kill -0 "$daemon" 2>/dev/null; do
    status=0
    wait "$daemon" || status=$?
done
exit "$status"
