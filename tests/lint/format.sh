#!/bin/bash
# format.sh [-i] - all C is as clang-format lays it out, or is made so with -i. Version 14 decides:
# later ones put macros whose value is in braces on other lines.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(clang-format --version | grep -oE 'version [0-9]+' | grep -oE '[0-9]+')

if [ "$version" = 14 ]; then
    git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format "${@:---dry-run}" --Werror
else
    echo "not run: formatting, as clang-format 14 decides and this is $version"
    [ $# = 0 ]
fi
