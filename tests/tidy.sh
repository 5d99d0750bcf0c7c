#!/bin/bash
# tidy.sh FLAG... -- FILE... - clang-tidy with the compiler's flags, two files at a time on two cores.
#
# A file that passed is not checked again until clang-tidy, its checks, the flags, the file or a header
# that it includes, down to the system's, has other bytes. Each pass leaves a note in the compiler's cache: the sums of
# the file and of all headers that clang-tidy read with it. A file that passed in several states, as in two clones, has a
# note of each.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

check() { # FILE FLAG...
    local file=$1 read note
    shift
    read=$(clang-tidy --quiet --warnings-as-errors='*' "$file" -- "$@" -H \
        -Wreserved-identifier -Wreserved-macro-identifier 2>&1 >&3) || return
    note=$(sed -n 's/^\.\.* //p' <<<"$read" | sort -u | xargs sha256sum "$file") || return
    echo "$note" >"$notes/${file//\//,}.$(sha256sum <<<"$note" | cut -c 1-16)"
} 3>&1
export -f check

flags=()
while [ "$1" != -- ]; do
    flags+=("$1")
    shift
done
shift
notes=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}}/gpuplan-tidy/$({
    clang-tidy --version
    echo "${flags[@]}"
    cat .clang-tidy
} | sha256sum | cut -d ' ' -f 1)
export notes
mkdir -p "$notes"
find "${notes%/*}" -type f -mtime +30 -delete

# Those of the files of which no note holds the sums of today.
changed() {
    local all=("$notes"/*) unchanged
    [ -e "${all[0]}" ] || all=(/dev/null)
    unchanged=$(cut -c 67- "${all[@]}" | sort -u | tr '\n' '\0' | xargs -0 sha256sum 2>/dev/null |
        awk 'NR == FNR { now[$0] = 1; next }
            FNR == 1 { noted[FILENAME] = 1 }
            !($0 in now) { noted[FILENAME] = 0 }
            END { for (note in noted) if (noted[note]) print note }' - "${all[@]}" |
        tee >(xargs -r touch -c) | sed 's|.*/||; s|\.[^.]*$||; s|,|/|g' | sort -u)
    printf '%s\n' "$@" | sort | comm -23 - <(echo "$unchanged")
}

# shellcheck disable=SC2016 # for the shell that xargs starts
changed "$@" | xargs -r -P "$(nproc)" -I '{}' bash -c 'check "$@"' check '{}' "${flags[@]}"
