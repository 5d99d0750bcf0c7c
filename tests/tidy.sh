#!/bin/bash
# tidy.sh FLAG... -- FILE... - clang-tidy with the compiler's flags, two files at a time on two cores.
#
# A file that passed is not checked again until clang-tidy, its checks, the flags, the file or a header
# that it includes, down to the system's, has other bytes. What passed is noted in the compiler's cache, and the sums
# of all that each file included: while those hold, it includes nothing else, and the preprocessor need not be asked.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

check() { # FILE FLAG...
    local file=$1 headers passed=''
    shift
    if headers=$(clang -M "$@" "$file" 2>/dev/null); then
        mapfile -t headers < <(grep -oE '[^ \\]+' <<<"${headers#*:}" | sort -u)
        passed=$passed_before/$({
            echo "$tool" "$file" "$@"
            cat .clang-tidy "${headers[@]}"
        } | sha256sum | cut -d ' ' -f 1)
    fi
    [ -e "$passed" ] ||
        clang-tidy --quiet --warnings-as-errors='*' "$file" -- "$@" -Wreserved-identifier -Wreserved-macro-identifier 2>/dev/null ||
        return
    [ -z "$passed" ] || {
        touch "$passed"
        sha256sum "${headers[@]}" >"$included/${file//\//,}.$$"
        mv "$included/${file//\//,}.$$" "$included/${file//\//,}"
    }
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
included=$passed_before/included-$({
    echo "$tool" "${flags[@]}"
    cat .clang-tidy
} | sha256sum | cut -d ' ' -f 1)
export included
mkdir -p "$included"

# Those of the files of which anything that they included has another sum than noted, or that have no note.
changed() {
    local file notes=()
    for file in "$@"; do
        [ -e "$included/${file//\//,}" ] && notes+=("$included/${file//\//,}")
    done
    [ "${#notes[@]}" -gt 0 ] || notes=(/dev/null)
    cut -c 67- "${notes[@]}" | sort -u | tr '\n' '\0' | xargs -0 sha256sum 2>/dev/null |
        awk 'NR == FNR { now[$0] = 1; next }
            FNR == 1 { noted[FILENAME] = 1 }
            !($0 in now) { noted[FILENAME] = 0 }
            END { for (note in noted) if (noted[note]) print note }' - "${notes[@]}" |
        tee >(xargs -r touch -c) | sed 's|.*/||; s|,|/|g' | sort >"$included/unchanged.$$"
    printf '%s\n' "$@" | sort | comm -23 - "$included/unchanged.$$"
    rm "$included/unchanged.$$"
}

# shellcheck disable=SC2016 # for the shell that xargs starts
changed "$@" | xargs -r -P "$(nproc)" -I '{}' bash -c 'check "$@"' check '{}' "${flags[@]}"
