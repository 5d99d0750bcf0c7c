#!/bin/bash
# start.sh - nginx with this container's name server; start.sh --ready says whether a daemon answers
# through it.
set -eu

if [ "${1:-}" = --ready ]; then
    exec 3<>/dev/tcp/127.0.0.1/8080
    printf 'GET /v1 HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\r\n' >&3
    read -r status <&3
    [[ $status == 'HTTP/1.1 200 '* ]]
    exit
fi

# The first: the containers' own. Others are for when it is silent; nginx would ask all in turn, and
# believe those that know nothing of `service`.
server=$(awk '$1 == "nameserver" { print ($2 ~ /:/ ? "[" $2 "]" : $2); exit }' /etc/resolv.conf)
echo "resolver $server valid=2s;" >/tmp/resolver.conf
tls=/etc/gpuplan/tls
if [ -d "$tls" ]; then
    echo "listen 8443 ssl; ssl_certificate $tls/fullchain.pem; ssl_certificate_key $tls/privkey.pem;"
fi >/tmp/tls.conf
exec nginx -c /etc/gpuplan/nginx.conf
