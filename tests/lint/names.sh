#!/bin/bash
# names.sh - refuse what is true on one machine only: absolute paths of somebody's own, hosts that
# packages are fetched from, files in a merge conflict. The words are put together here, so that
# this file does not name them either.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The pattern without its percent signs.
word() { tr -d % <<<"$1"; }

own_path=$(word '(^|[^][A-Za-z0-9_.$}/-])/(w%ork|r%oot|h%ome|U%sers)(/|[^A-Za-z0-9_-]|$)')
outside=$(word '(^|[^A-Za-z0-9_/.])(\.\./)+(sh%ared|main)/|[.](libr%ary|mirr%or|bash_jo%bs)/')
host=$(word '(reg%istry[.-][a-z0-9.-]*[.][a-z]+|p%ypi[.]org|python%hosted[.]org|npm%js[.](org|com)|crates%[.]io|proxy[.]gol%ang[.]org|ruby%gems[.]org|deb[.]deb%ian[.]org|artif%actory)')
conflict=$(word '^(<%<<<<<<|>%>>>>>>) ')
bad=0

# refuse WHAT PATTERN: say where the tree has it.
refuse() {
    local hits
    hits=$(git ls-files -co --exclude-standard -z |
        xargs -0 grep -nIHE -e "$2" -- 2>/dev/null | cut -c 1-200 || true)
    [ -z "$hits" ] && return
    printf 'names %s:\n%s\n' "$1" "$hits" >&2
    bad=1
}

refuse 'a path of one machine' "$own_path"
refuse 'something outside the repository' "$outside"
refuse 'a host that packages come from' "$host"
refuse 'a merge conflict' "$conflict"
exit "$bad"
