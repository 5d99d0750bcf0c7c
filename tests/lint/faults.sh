#!/bin/bash
# faults.sh - the table of faults names every test of tests/faults, and no other.
set -euo pipefail
cd "$(dirname "$0")/../../tests/faults"

# shellcheck disable=SC2016 # the backquotes are meant
named=$(grep -oE '`test_[a-z_]+`' README.md | tr -d '`' | sort)
there=$(sed -nE 's/^def (test_[a-z_]+)\(.*/\1/p' test_*.py | sort)
# A test name that occurs twice is ambiguous.
if ! diff <(echo "$there") <(echo "$named") >&2; then
    echo 'tests/faults: < is a test, > is a name in README.md' >&2
    exit 1
fi
