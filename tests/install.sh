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
if [[ " ${missing[*]} " == *" postgresql "* ]] && [ ! -e $settings ]; then
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
export DEBIAN_FRONTEND=noninteractive

give_up() { # SENTENCE
    echo "install.sh: $1" >&2
    exit 69
}

# What apt-get says of its progress, the third field of lines such as dlstatus:1:37.5:..., on one line of a terminal.
show_progress() {
    local kind percent word
    while IFS=: read -r kind _ percent _; do
        [ -t 1 ] || continue
        case $kind in
        dlstatus) word=Downloading ;;
        pmstatus) word=Installing ;;
        *) continue ;;
        esac
        printf '\r  %-11s %3d %%' "$word" "${percent%.*}"
    done
    [ ! -t 1 ] || echo
}

# apt_get ARGUMENT...: shows progress; everything else goes into the log. The progress must not come
# by descriptor 2: where /dev/pts is not mounted, packages' scripts would find their standard error
# closed. Descriptor 3 is opened behind sudo, which closes those above 2.
apt_get() {
    # shellcheck disable=SC2016 # the inner shell's
    "${root[@]}" env DEBIAN_FRONTEND="$DEBIAN_FRONTEND" sh -c 'exec "$@" 3>&1 >&2' sh \
        apt-get -y -o Dpkg::Options::=--force-confold -o APT::Status-Fd=3 "$@" 2>>"$log" | show_progress
}

# An installation that was interrupted stands in the way of every other.
if [ -n "$("${root[@]}" dpkg --audit)" ] || ! "${root[@]}" apt-get -q check >/dev/null 2>&1; then
    echo "Completing an installation that was interrupted"
    if ! { "${root[@]}" dpkg --configure -a >>"$log" 2>&1 || true; apt_get --fix-broken install; }; then
        tail -n 20 "$log" >&2
        give_up 'an earlier installation was interrupted and cannot be completed: mend it (dpkg --configure -a; apt-get --fix-broken install), then try again'
    fi
fi

"${root[@]}" apt-get -q update >"$log" 2>&1 || true # the lists of before may do
if ! apt_get --no-install-recommends install "${missing[@]}"; then
    if grep -qE 'Temporary failure resolving|Could not resolve|Could not connect|Unable to connect|Network is unreachable' "$log"; then
        give_up "cannot reach the package servers ($(grep -oE "Temporary failure resolving '[^']*'|Could not (resolve|connect to) [^ ]*|Unable to connect to [^ ]*|Network is unreachable" "$log" | head -n 1)): give this machine a network or apt a proxy, then try again"
    fi
    grep -vE '^(Get|Ign|Hit):' "$log" | tail -n 10 >&2
    give_up 'apt-get could not install them'
fi
