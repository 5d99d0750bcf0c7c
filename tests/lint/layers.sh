#!/bin/bash
# layers.sh - refuse an #include that crosses the layers in ARCHITECTURE.md.
set -euo pipefail
cd "$(dirname "$0")/../.."

# What a folder may include from besides itself.
declare -A may=(
    [base]=''
    [catalog]='base'
    [estimate]='base catalog'
    [feed]='base'
    [store]='base catalog feed json'
    [answer]='base'
    [json]='base catalog'
    [http]='base'
    [settings]='base'
    [command]='base settings api http feed json store catalog answer'
    [api]='base catalog estimate answer feed http json'
)
# The only folders that may include a library's header.
declare -A library=(
    [microhttpd.h]='http'
    [zlib.h]='answer http feed'
    [libpq-fe.h]='store'
    [jansson.h]='json'
    [pthread.h]='catalog store http'
)
# All that the estimates may have of the C library: no clock, no files, no threads.
pure='assert.h float.h limits.h math.h stdbool.h stddef.h stdint.h stdio.h string.h'
bad=0

among() { [[ " $2 " == *" $1 "* ]]; }

# allowed LAYER HEADER KIND: whether a file of the layer may include it; KIND is " for our own.
allowed() {
    if [ "$3" = '"' ]; then
        # Of http the API may know only what a request and a reply are.
        case $1:$2 in api:http/request.h) ;; api:http/*) return 1 ;; esac
        among "${2%%/*}" "$1 ${may[$1]}"
    else
        among "$1" "${library[$2]-$1}" && { [ "$1" != estimate ] || among "$2" "$pure"; }
    fi
}

while IFS=: read -r file include; do
    layer=${file#service/}
    layer=${layer%%/*}
    target=${include#*[<\"]}
    kind=${include%"$target"}
    [ -n "${may[$layer]+known}" ] && allowed "$layer" "$target" "${kind: -1}" && continue
    echo "$file: includes $target" >&2
    bad=1
done < <(git ls-files -co --exclude-standard 'service/*/*.c' 'service/*/*.h' 'service/*/*.def' |
    xargs grep -HoE '^# *include [<"][^>"]+')
exit "$bad"
