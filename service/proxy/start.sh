#!/bin/bash
# start.sh - nginx with this container's name servers; start.sh --ready says whether a daemon answers
# through it.
set -eu

if [ "${1:-}" = --ready ]; then
    exec 3<>/dev/tcp/127.0.0.1/8080
    printf 'GET /v1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\r\n' >&3
    read -r status <&3
    [[ $status == 'HTTP/1.1 200 '* ]]
    exit
fi

servers=$(awk '$1 == "nameserver" { print ($2 ~ /:/ ? "[" $2 "]" : $2) }' /etc/resolv.conf)
# shellcheck disable=SC2086 # one word each
echo resolver $servers 'valid=2s;' >/tmp/resolver.conf
exec nginx -c /etc/gpuplan/nginx.conf
