#!/bin/bash
# check.sh - build the image and run it as it is meant to run: read-only, nobody in particular, without
# any capability, on a throw-away database. ENGINE is podman or docker, with options if need be;
# BUILD_OPTIONS and RUN_OPTIONS go to its build and run.
set -euo pipefail
cd "$(dirname "$0")/../.."
read -ra engine <<<"${ENGINE:-$(command -v podman || command -v docker)}"
read -ra build_options <<<"${BUILD_OPTIONS:-}"
read -ra run_options <<<"${RUN_OPTIONS:-}"
name=gpuplan-check-$$
work=$(mktemp -d /tmp/gpuplan-check.XXXXXX)
chmod 755 "$work"

# shellcheck disable=SC2317 # called by the trap
clean() {
    "${engine[@]}" rm --force "$name" >"$work/log" 2>&1 || :
    "${engine[@]}" rmi --force "$name" >"$work/log" 2>&1 || :
    sql/private.sh stop "$work"
    rm -rf "$work"
}
trap clean EXIT

fail() {
    echo "check.sh: $1" >&2
    "${engine[@]}" logs "$name" >&2 || :
    exit 1
}

inside() {
    "${engine[@]}" exec "$name" "$@"
}

started=$SECONDS
"${engine[@]}" build "${build_options[@]}" --tag "$name" . >"$work/build.log" 2>&1 ||
    { tail -n 30 "$work/build.log" >&2; fail 'the image is not built'; }
echo "built in $((SECONDS - started)) s, $(($("${engine[@]}" image inspect --format '{{.Size}}' "$name") / 1000000)) MB"

eval "$(sql/private.sh start "$work")"
sql/migrate.sh
psql --no-psqlrc --quiet --command 'create role plan login in role gpuplan_reader'
chmod 711 "$PGHOST" # the container's user is another
"${engine[@]}" run "${run_options[@]}" --detach --name "$name" --network none --read-only --cap-drop ALL \
    --security-opt no-new-privileges --volume "$PGHOST:/database" \
    --env PGHOST=/database --env PGUSER=plan --env PGDATABASE="$PGDATABASE" "$name" >"$work/log" ||
    fail 'the container does not start'

for _ in $(seq 100); do
    inside /usr/local/bin/gpuplan --ready 2>"$work/log" && break
    timeout 0.2 tail -f /dev/null || :
done
inside /usr/local/bin/gpuplan --ready || fail 'the health check fails'
[ "$(inside id -u)" = 900 ] || fail 'it runs as somebody else than 900'
inside grep -q '^[^ ]* / [^ ]* ro' /proc/mounts || fail 'its files can be written'
inside grep -q '^CapEff:[[:space:]]*0*$' /proc/1/status || fail 'it has capabilities'
# shellcheck disable=SC2016 # expanded inside
inside bash -c 'exec 3<>/dev/tcp/127.0.0.1/8080
    printf "GET /v1/gpus/t4.txt HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" >&3
    read -r status <&3; [[ $status == "HTTP/1.1 200 "* ]]' || fail 'it does not answer'
"${engine[@]}" stop --time 15 "$name" >"$work/log" 2>&1 || fail 'it does not stop'
code=$("${engine[@]}" inspect --format '{{.State.ExitCode}}' "$name")
[ "$code" = 0 ] || fail "it ended with $code"
echo 'runs read-only, as user 900, without capabilities; its health check passes; it ends with 0'
