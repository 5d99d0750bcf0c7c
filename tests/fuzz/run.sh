#!/bin/bash
# run.sh - DAEMON SECONDS TARGET...: fuzz the targets one after the other, showing how far each is.
# What it learns stays in build/fuzz/corpus; an input that breaks a promise is written to
# build/fuzz/found, from where it goes into tests/fuzz/corpus/NAME together with the repair.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
daemon=$1 seconds=$2
shift 2
found=build/fuzz/found
words=build/fuzz/words
failed=''
shown='^#[0-9]+[[:space:]]+(INITED|pulse|DONE)|^stat::(number|average|slowest)|ERROR|error:|promise'
mkdir -p "$found"

# Every name and word of the API and of a config.json, so that the fuzzer need not guess them.
{ "$daemon" --openapi; cat tests/api/hf-configs/*.json service/json/*.def; } |
    grep -oE '"[A-Za-z][A-Za-z0-9_./{}-]{1,39}"' | tr -d '{}' | sort -u >"$words"

for target in "$@"; do
    name=$(basename "$target")
    learnt=build/fuzz/corpus/$name
    mkdir -p "$learnt"
    echo "== $name, $seconds s"
    "$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -max_len=8192 -dict="$words" \
        -artifact_prefix="$found/$name-" -print_final_stats=1 "$learnt" "tests/fuzz/corpus/$name" \
        api/examples tests/api/hf-configs 2>&1 |
        tee "build/fuzz/$name.log" | grep --line-buffered -E "$shown" ||
        failed+=" $name"
done
[ -z "$failed" ] || { echo "broken:$failed; the inputs are in $found" >&2; exit 1; }
