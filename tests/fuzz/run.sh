#!/bin/bash
# run.sh - DAEMON SECONDS TARGET...: fuzz the targets one after the other, showing how far each is.
# A target that was built below build/afl is driven by AFL++, any other is a libFuzzer of its own.
# What it learns stays in build; an input that breaks a promise is written to build/fuzz/found, from
# where it goes into tests/fuzz/corpus/NAME together with the repair.
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

run_libfuzzer() {
    local learnt=build/fuzz/corpus/$name
    mkdir -p "$learnt"
    "$target" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 -max_len=8192 -dict="$words" \
        -artifact_prefix="$found/$name-" -print_final_stats=1 "$learnt" "tests/fuzz/corpus/$name" \
        api/examples tests/api/hf-configs 2>&1 |
        tee "build/fuzz/$name.log" | grep --line-buffered -E "$shown"
}

# A second run goes on where the first one ended.
run_afl() {
    local seeds=build/afl/seeds/$name out=build/afl/learnt/$name file
    mkdir -p "$seeds" "$out"
    cp tests/fuzz/corpus/"$name"/* api/examples/* tests/api/hf-configs/* "$seeds"
    AFL_AUTORESUME=1 AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_IGNORE_SEED_PROBLEMS=1 \
        AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 \
        afl-fuzz -i "$seeds" -o "$out" -V "$seconds" -t 60000 -G 8192 -x "$words" -- "$target" \
        >"build/afl/$name.log" 2>&1 || { tail -n 20 "build/afl/$name.log"; return 1; }
    grep -E '^(run_time|execs_done|corpus_count|edges_found|total_edges|saved_crashes|saved_hangs) ' \
        "$out/default/fuzzer_stats"
    for file in "$out"/default/{crashes,hangs}/id*; do
        [ ! -e "$file" ] || cp "$file" "$found/$name-afl-$(sha256sum <"$file" | head -c 12)"
    done
    grep -qE '^saved_crashes +: 0$' "$out/default/fuzzer_stats"
}

for target in "$@"; do
    name=$(basename "$target")
    echo "== $name, $seconds s"
    case $target in
    build/afl/*) run_afl ;;
    *) run_libfuzzer ;;
    esac || failed+=" $name"
done
[ -z "$failed" ] || { echo "broken:$failed; the inputs are in $found" >&2; exit 1; }
