#!/bin/bash
# banned.sh - refuse calls that overflow, truncate, depend on the locale, or wait for a length of
# time instead of for something.
set -euo pipefail
cd "$(dirname "$0")/../.."

# calls: what to use instead
anywhere='
strcpy|stpcpy|strcat|sprintf|vsprintf|gets: buf_print() or snprintf()
strncpy|strncat: buf_add()
strtok|strtok_r: strcspn()
atoi|atol|atoll|atof|scanf|sscanf|fscanf|vsscanf: strtod() or strtol() with its end checked
alloca|strdupa|strndupa: an arena
setlocale|uselocale|newlocale: nothing, numbers are read and written in the C locale
sleep|usleep|sched_yield: a wait for the condition
localtime|gmtime|ctime|asctime|rand|getpwnam|gethostbyname: its reentrant form
'
# of the daemon
service='
nanosleep|clock_nanosleep: a wait for the condition
malloc|calloc|realloc|strdup|strndup|asprintf|vasprintf: base/mem.h
qsort: sort_items(), which takes no items as well
system|popen|fork|tmpnam|mktemp|tempnam: nothing, the daemon starts no programs
'
# of the estimates, which have no clock, no input, no output and no chance
estimate='
time|clock|clock_gettime|gettimeofday|random|getenv: nothing, the caller passes it
printf|fprintf|puts|fputs|fopen|open|read|write|exit|abort: nothing, an estimate is pure
'
bad=0
code=$(git ls-files -co --exclude-standard '*.c' '*.h' | xargs awk -f tests/lint/code.awk)

# refuse LIST FILES: say where files whose name starts so make one of the calls.
refuse() {
    local calls instead hits
    while IFS=: read -r calls instead; do
        [ -n "$calls" ] || continue
        hits=$(grep -E "^$2[^:]*:[0-9]+:(.*[^A-Za-z0-9_.>])?($calls) *\(" <<<"$code" |
            grep -vE '^service/base/(mem|arena|sort)\.') || continue
        printf '%s\n  use%s\n' "$hits" "$instead" >&2
        bad=1
    done <<<"$1"
}

refuse "$anywhere" ''
refuse "$service" service/
refuse "$estimate" service/estimate/

# A static that is not const is a global that results could depend on.
if grep -E '^service/estimate/[^:]*:[0-9]+: *static [^(]*([=;]|$)' <<<"$code" |
    grep -vE ': *static const|_Static_assert' >&2; then
    echo '  an estimate has no globals' >&2
    bad=1
fi
exit "$bad"
