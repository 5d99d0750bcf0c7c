#!/bin/bash
# english.sh - refuse turns of phrase that readers of the comments in service/ stop at.
set -euo pipefail
cd "$(dirname "$0")/../.."

# pattern | what to write
habits='
[Ss]o many\b|"n", "this many", or the name of the number
\bmanieth\b|"every n-th"
\b[Bb]eside\b|"alongside", "in addition to" or "next to"
(/\* *|^ \* |[.] )Of [a-z`][^.]*,|a sentence that begins with its subject, or "For ..."
'
bad=0
comments=$(git ls-files -co --exclude-standard 'service/*.c' 'service/*.h' |
    xargs grep -nHoE '/\*.*|^ +\* .*')

while IFS='|' read -r line; do
    [ -n "$line" ] || continue
    pattern=${line%|*}
    hits=$(grep -E "$pattern" <<<"$comments") || continue
    printf '%s\n  write %s\n' "$hits" "${line##*|}" >&2
    bad=1
done <<<"$habits"
exit "$bad"
