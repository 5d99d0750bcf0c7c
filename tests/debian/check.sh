#!/bin/bash
# check.sh SUITE [TARGET...] - make TARGET (check-system) on another Debian, such as trixie: a root made
# with debootstrap, in it git and make and nothing else of ours, and a clone of the last commit.
# Says "not run" and why where no such root can be made.
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=$1
shift

not_run() {
    echo "not run: Debian $suite, $1"
    exit 0
}

# shellcheck source=/dev/null
[ "$(. /etc/os-release && echo "$VERSION_CODENAME")" != "$suite" ] || not_run 'as that is what this is'
if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || not_run 'as a root directory is made by root only'
    exec sudo -n "$0" "$suite" "$@"
fi
command -v debootstrap >/dev/null || not_run 'as debootstrap is not installed'
unshare --mount --pid --fork true 2>/dev/null || not_run 'as nothing may be mounted here'
# shellcheck disable=SC2016 # apt-get's own variables
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Component: main' 'Created-By: Packages' |
    grep -v security | head -n 1)
release=$(curl --silent --fail --location --max-time 20 "${mirror%/}/dists/$suite/Release") ||
    not_run "as ${mirror:-no mirror} does not have it"

# What takes minutes each time is kept in the compiler's cache: the root with what deps-check installs, as long
# as the archive, the lists of packages and the scripts that make it are the same, and what its compiler made.
kept=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}}/gpuplan-debian
objects=$kept/ccache-$suite
mkdir -p "$objects"
find "$kept" -maxdepth 1 -name '*.tar' -mtime +30 -delete
made_of=$({
    echo "$release"
    dpkg --print-architecture
    grep -E '^[A-Z]+_PACKAGES' Makefile
    cat tests/install.sh tests/debian/check.sh
} | sha256sum | cut -d ' ' -f 1)
made=$kept/$suite-$made_of.tar

work=$(mktemp -d /var/tmp/gpuplan-debian.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root

# inside COMMAND...: in the root; what is mounted and started ends with the namespaces.
inside() {
    # shellcheck disable=SC2016 # expanded inside
    unshare --mount --pid --fork bash -euc '
        mount --bind "$0" "$0" # a root of its own, in which namespaces may be made, which chroot forbids
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        mkdir -p "$0/ccache"
        mount --bind "$1" "$0/ccache"
        shift
        printf "#!/bin/sh\nexit 101\n" >"$0/usr/sbin/policy-rc.d" # no package starts a server
        chmod 755 "$0/usr/sbin/policy-rc.d"
        cd "$0"
        pivot_root . mnt
        umount --lazy mnt
        exec env -i HOME=/ LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin CCACHE_DIR=/ccache CCACHE_MAXSIZE=1G "$@"
    ' "$root" "$objects" "$@"
}

if [ -e "$made" ]; then
    touch "$made"
    mkdir "$root"
    tar -xf "$made" -C "$root" --numeric-owner --xattrs
    git clone --quiet --no-hardlinks . "$root/gpuplan"
    echo "Debian $suite: root of before unpacked in $SECONDS s"
else
    unshare --mount timeout 600 debootstrap --variant=minbase --include=git,make \
        "$suite" "$root" "${mirror%/}" >"$work/log" 2>&1 ||
        not_run "as no root came of it in 10 minutes: $(tail -n 1 "$work/log")"
    # What is thrown away need not be on the disk before the next package is unpacked.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/gpuplan"
    git clone --quiet --no-hardlinks . "$root/gpuplan"
    inside make --no-print-directory -C /gpuplan deps-check
    inside /gpuplan/tests/install.sh 'to compile once' ccache
    rm -f "$root"/var/cache/apt/archives/*.deb
    tar -cf "$work/tar" -C "$root" --numeric-owner --xattrs --exclude ./gpuplan --exclude './ccache/*' .
    mv "$work/tar" "$made.$$"
    mv "$made.$$" "$made"
    echo "Debian $suite: root made in $SECONDS s"
fi

inside make --no-print-directory -C /gpuplan "${@:-check-system}"
echo "Debian $suite: $SECONDS s in all"
