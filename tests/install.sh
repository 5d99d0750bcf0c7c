#!/bin/bash
# install.sh PURPOSE PACKAGE... - install the Debian packages that are missing; says what in one line.
set -euo pipefail
purpose=$1
shift

missing=()
for package in "$@"; do
    state=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

root=()
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "install.sh: needs root or sudo for: ${missing[*]}" >&2; exit 69; }
    root=(sudo)
fi

echo "Installing $purpose: ${missing[*]}"

# Debian's PostgreSQL makes and starts a cluster of its own when it is installed; ours is private
# and nothing else should start, unless the machine already has a say in that.
settings=/etc/postgresql-common
if [[ " ${missing[*]} " == *" postgresql-15 "* ]] && [ ! -e $settings ]; then
    "${root[@]}" mkdir -p $settings
    echo 'create_main_cluster = false' | "${root[@]}" tee $settings/createcluster.conf >/dev/null
fi

# Of Prometheus only promtool is wanted, of nginx what the tests start, not the servers that their
# packages start.
for server in prometheus nginx; do
    unit=/etc/systemd/system/$server.service
    if [[ " ${missing[*]} " == *" $server"* ]] && [ -d ${unit%/*} ] && [ ! -e $unit ]; then
        "${root[@]}" ln -s /dev/null "$unit"
    fi
done

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends \
        -o Dpkg::Options::=--force-confold -o APT::Status-Fd=2 install "${missing[@]}"
}

"${root[@]}" apt-get -q update >"$log" 2>&1 || { tail -n 5 "$log" >&2; exit 69; }
# Progress on one line: apt's own percentage, as it goes.
if ! install 2>&1 >"$log" | awk -F: '/^(pm|dl)status/ && int($3) != shown { shown = int($3); printf "\r  %3d %%", shown; fflush() } !/^(pm|dl)status/ { print > "/dev/stderr" } END { print "" }'; then
    tail -n 20 "$log" >&2
    echo "install.sh: apt-get could not install them" >&2
    exit 69
fi
