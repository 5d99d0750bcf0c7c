#!/bin/sh
# install.sh - put the built daemon and what belongs to it under $DESTDIR$PREFIX; `make install` calls it.
set -eu
cd "$(dirname "$0")/../.."
binary=$1 prefix=$2 root=${DESTDIR:-}

put() { # MODE FOLDER FILE...
    mode=$1 folder=$root$2
    shift 2
    install -d "$folder"
    install -m "$mode" "$@" "$folder"
}

put 755 "$prefix/bin" "$binary"
for shell in bash/bash-completion/completions/gpuplan zsh/zsh/vendor-completions/_gpuplan; do
    file=$root$prefix/share/${shell#*/}
    install -d "${file%/*}"
    "$binary" completion "${shell%%/*}" >"$file"
    chmod 644 "$file"
done
put 644 "$prefix/share/man/man1" service/package/gpuplan.1
put 644 "$prefix/share/doc/gpuplan" README.md CHANGELOG.md LICENSE NOTICE api/openapi.yaml
put 755 "$prefix/share/gpuplan/sql" sql/migrate.sh
put 644 "$prefix/share/gpuplan/sql" sql/*.sql sql/README.md
put 644 "$prefix/share/gpuplan/sql/migrations" sql/migrations/*.sql
put 644 "$prefix/share/gpuplan/sql/seed" sql/seed/*.csv
(cd static && find . -type f) | while read -r file; do
    put 644 "$prefix/share/gpuplan/static/$(dirname "$file")" "static/$file"
done
put 644 "$prefix/share/gpuplan/api/sheets" api/sheets/gpuplan.ods api/sheets/gpuplan.xlsx
units=$root$prefix/lib/systemd/system
put 644 "$prefix/lib/systemd/system" service/package/gpuplan.socket service/package/gpuplan-fetch.timer
for unit in gpuplan gpuplan-fetch; do
    sed "s|@bindir@|$prefix/bin|" "service/package/$unit.service" >"$units/$unit.service"
    chmod 644 "$units/$unit.service"
done
