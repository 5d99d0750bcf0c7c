#!/bin/bash
# docs.sh - every file and folder the documents name is there.
set -euo pipefail
cd "$(dirname "$0")/../.."

# `folder/`, or `folder/file.ext`
# shellcheck disable=SC2016 # the backquotes are meant
quoted='`[a-z_]+/([A-Za-z0-9_./*-]*(/|[.](c|h|def|py|sh|js|sql|csv|yaml|yml|conf|awk)))?`'
bad=0
for document in $(git ls-files -co --exclude-standard '*.md'); do
    here=$(dirname "$document")
    # targets of links, relative to the document
    while IFS= read -r target; do
        [ -e "$here/$target" ] || { echo "$document: links to $target, which is not there" >&2; bad=1; }
    done < <(grep -oE '\]\([^)#:]+\)' "$document" | sed 's/^](//; s/)$//')
    # files and folders in code quotes, from the root, from service/ or from one of its folders; a word in capitals stands
    # for any name
    while IFS= read -r path; do
        [[ $path == *[A-Z][A-Z]* ]] || compgen -G "$path" >/dev/null ||
            compgen -G "service/$path" >/dev/null || compgen -G "service/*/$path" >/dev/null ||
            compgen -G "$here/$path" >/dev/null ||
            { echo "$document: names $path, which is not there" >&2; bad=1; }
    done < <(grep -oE "$quoted" "$document" | tr -d '`')
done
exit "$bad"
