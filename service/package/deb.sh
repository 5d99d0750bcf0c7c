#!/bin/sh
# deb.sh - a Debian package of the built daemon, the same bytes from the same commit; `make deb` calls it.
set -eu
cd "$(dirname "$0")/../.."
binary=$1 out=$2
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
release=$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)
version=$release+git$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d.%H%M%S)
arch=$(dpkg --print-architecture)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

umask 022
chmod 755 "$tree"
DESTDIR=$tree service/package/install.sh "$binary" /usr
strip --strip-unneeded "$tree/usr/bin/gpuplan"
gzip -9n "$tree/usr/share/man/man1/gpuplan.1"
mv "$tree/usr/share/doc/gpuplan/LICENSE" "$tree/usr/share/doc/gpuplan/copyright"

# The packages whose libraries the program loads are what it needs, and what it is made of.
needed=$(ldd "$tree/usr/bin/gpuplan" |
    awk '$1 ~ /^lib(c|m|microhttpd|jansson|pq|z)\.so/ {n = split($3, at, "/"); print at[n - 1] "/" at[n]}' |
    while read -r library; do
        dpkg-query --search "*/$library" | head -n 1 | cut -d : -f 1
    done | sort -u)
{
    printf '{"bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1,\n'
    printf ' "metadata": {"component": {"type": "application", "name": "gpuplan", "version": "%s"}},\n' "$version"
    printf ' "components": ['
    comma=
    for package in $needed; do
        # shellcheck disable=SC2016 # dpkg-query's own variables
        dpkg-query -W -f "$comma"'\n  {"type": "library", "name": "${Package}", "version": "${Version}", "purl": "pkg:deb/debian/${Package}@${Version}?arch=${Architecture}"}' "$package"
        comma=,
    done
    printf '\n ]}\n'
} >"$tree/usr/share/doc/gpuplan/sbom.cdx.json"

install -d "$tree/etc/gpuplan" "$tree/DEBIAN"
{
    echo '# Settings of gpuplan.service: take the # away from what is to differ; gpuplan --help says what each is.'
    env -i "$binary" --dump-config | sed 's/^/#/'
} >"$tree/etc/gpuplan/gpuplan.env"
chmod 640 "$tree/etc/gpuplan/gpuplan.env" # DATABASE_URL may hold a password
echo /etc/gpuplan/gpuplan.env >"$tree/DEBIAN/conffiles"
cat >"$tree/DEBIAN/control" <<CONTROL
Package: gpuplan
Version: $version
Architecture: $arch
Maintainer: gpuplan <gpuplan@localhost>
Section: science
Priority: optional
Depends: $(echo "$needed" | paste -s -d , | sed 's/,/, /g')
Recommends: ca-certificates, curl, postgresql-client
Suggests: postgresql
Installed-Size: $(du -k -s "$tree/usr" | cut -f 1)
Description: what GPUs take to train, serve and own
 A daemon with a REST API and a page: training plans, inference sizing, buy or
 rent, from a catalogue in PostgreSQL in which every figure has source and date.
CONTROL
find "$tree" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date "@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$out"
dpkg-deb --build --root-owner-group -Zxz "$tree" "$out/gpuplan_${version}_$arch.deb"
