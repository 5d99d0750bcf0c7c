#!/bin/bash
# functions.sh - how long the functions are; refuses what nobody can take in at one reading.
set -euo pipefail
cd "$(dirname "$0")/../.."

longest_function=80 median_at_most=15 longest_file=500
bad=0

# A function starts at the first line of its head and ends with the brace in column one; its
# opening brace stands alone (.clang-format), which nothing else at file level does.
measure() {
    awk -f tests/lint/code.awk "$@" | awk '
        {
            match($0, /^[^:]*:[0-9]+:/)
            place = substr($0, 1, RLENGTH - 1)
            text = substr($0, RLENGTH + 1)
        }
        text ~ /^[A-Za-z]/ && !inside && !lines { head = place; name = text; lines = 0 }
        text ~ /^[A-Za-z]/ && !inside           { open = 1 }
        open || inside                          { lines++ }
        text ~ /^$|;$|^#/ && !inside            { open = lines = 0 }
        text == "{" && open                     { inside = 1 }
        text ~ /^}/ {
            if (inside)
                print lines, head, name
            open = inside = lines = 0
        }' | sort -n
}

mapfile -t sources < <(git ls-files -co --exclude-standard 'service/*.c')
mapfile -t tests < <(git ls-files -co --exclude-standard 'tests/*.c')

lengths=$(measure "${sources[@]}")
measure "${sources[@]}" "${tests[@]}" | awk -v most=$longest_function \
    '$1 > most { print $2 ": a function of " $1 " lines, at most " most; bad = 1 } END { exit bad }' >&2 || bad=1
awk -v most=$median_at_most '
    { length_of[NR] = $1; last = $0 }
    END {
        median = length_of[int((NR + 1) / 2)]
        printf "functions: %d, median %d lines, p90 %d, longest %s\n", NR, median,
               length_of[int((NR * 9 + 9) / 10)], last
        exit median > most
    }' <<<"$lengths" || { echo "the median is over $median_at_most lines" >&2; bad=1; }

mapfile -t headers < <(git ls-files -co --exclude-standard 'service/*.h' 'tests/*.h')
for file in "${sources[@]}" "${tests[@]}" "${headers[@]}"; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt $longest_file ]; then
        echo "$file: $lines lines, at most $longest_file" >&2
        bad=1
    fi
done
exit "$bad"
