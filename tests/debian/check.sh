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
curl --silent --fail --location --max-time 20 --output /dev/null "${mirror%/}/dists/$suite/Release" ||
    not_run "as ${mirror:-no mirror} does not have it"

work=$(mktemp -d /var/tmp/gpuplan-debian.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
unshare --mount timeout 600 debootstrap --variant=minbase --include=git,make \
    "$suite" "$root" "${mirror%/}" >"$work/log" 2>&1 ||
    not_run "as no root came of it in 10 minutes: $(tail -n 1 "$work/log")"
echo "Debian $suite: root made in $SECONDS s"
# What is thrown away need not be on the disk before the next package is unpacked.
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/gpuplan"
git clone --quiet --no-hardlinks . "$root/gpuplan"

# What is mounted and started ends with the namespaces.
# shellcheck disable=SC2016 # expanded inside
unshare --mount --pid --fork bash -euc '
    mount --bind "$0" "$0" # a root of its own, in which namespaces may be made, which chroot forbids
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    printf "#!/bin/sh\nexit 101\n" >"$0/usr/sbin/policy-rc.d" # no package starts a server
    chmod 755 "$0/usr/sbin/policy-rc.d"
    cd "$0"
    pivot_root . mnt
    umount --lazy mnt
    exec env -i HOME=/ LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        make --no-print-directory -C /gpuplan "$@"
' "$root" "${@:-check-system}"
echo "Debian $suite: $SECONDS s in all"
