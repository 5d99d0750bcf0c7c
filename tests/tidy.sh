#!/bin/bash
# tidy.sh FLAG... -- FILE... - clang-tidy with the compiler's flags, two files at a time on two cores.
#
# A file that passed is not checked again until clang-tidy, its checks, the flags, the file or a header
# that it includes, down to the system's, has other bytes. What passed is noted in the compiler's cache.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

check() { # FILE FLAG...
    local file=$1 headers passed=''
    shift
    if headers=$(clang -M "$@" "$file" 2>/dev/null); then
        passed=$passed_before/$({
            echo "$tool" "$file" "$@"
            grep -oE '[^ \\]+' <<<"${headers#*:}" | sort -u | tr '\n' '\0' | xargs -0 cat .clang-tidy
        } | sha256sum | cut -d ' ' -f 1)
        [ -e "$passed" ] && touch "$passed" && return
    fi
    clang-tidy --quiet --warnings-as-errors='*' "$file" -- "$@" -Wreserved-identifier -Wreserved-macro-identifier 2>/dev/null || return
    [ -z "$passed" ] || : >"$passed"
}
export -f check

flags=()
while [ "$1" != -- ]; do
    flags+=("$1")
    shift
done
shift
passed_before=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}}/gpuplan-tidy
tool=$(clang-tidy --version)
export passed_before tool
mkdir -p "$passed_before"
find "$passed_before" -type f -mtime +30 -delete
# shellcheck disable=SC2016 # for the shell that xargs starts
printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' bash -c 'check "$@"' check '{}' "${flags[@]}"
