#!/bin/bash
# english.sh - refuse turns of phrase that readers of the comments in C and in sql/functions.sql stop at, and a
# space before a percent sign in what clients read: sentences of service/, notes of the seed, README and SECURITY.
set -euo pipefail
cd "$(dirname "$0")/../.."

# pattern | what to write
habits='
[Ss]o many\b|"n", "this many", or the name of the number
\bmanieth\b|"every n-th"
\b[Bb]eside\b|"alongside", "in addition to" or "next to"
(/\* *|^ \* |[.] )Of [a-z`][^.]*,|a sentence that begins with its subject, or "For ..."
\b[Ww]hence\b|"from where"
\b(he|she|for|to|by|of|from) who\b|"which", "that" or "a client that"
\bwill not do\b|"is ruled out", "does not suffice"
'
bad=0
comments=$(git ls-files -co --exclude-standard 'service/*.c' 'service/*.h' 'service/*.def' 'tests/*.c' 'tests/*.h' |
    xargs grep -nHoE '/\*.*|^ +\* .*'
    grep -nHoE -e '--.*' sql/functions.sql)

while IFS='|' read -r line; do
    [ -n "$line" ] || continue
    pattern=${line%|*}
    hits=$(grep -E "$pattern" <<<"$comments") || continue
    printf '%s\n  write %s\n' "$hits" "${line##*|}" >&2
    bad=1
done <<<"$habits"
# Without comments; in a format the sign is %%, after digits or the end of a conversion.
spaced=$(git ls-files -co --exclude-standard 'service/*.c' 'service/*.def' | xargs grep -nHE '"([^"]*[0-9gfs])? %%?([ ,;:)"\\]|\.[^0-9*])' |
    grep -vE '^[^:]*:[0-9]+: *(/\*|\*)' | grep -vE '[a-z] % [a-z]' || true)
spaced+=$(grep -nHE '[0-9] %([ ,;:)"/]|$)' sql/seed/*.csv README.md SECURITY.md api/README.md | cut -c1-120 || true)
if [ -n "$spaced" ]; then
    printf '%s\n  write the percent sign without a space, as in 80%%\n' "$spaced" >&2
    bad=1
fi
exit "$bad"
