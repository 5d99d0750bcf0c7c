#!/bin/bash
# run.sh - every suite, one after the other, each in full even where one before it failed; ends with
# a line that counts the tests. `make test` and CI call it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT
jobs=$(nproc)

# One check that counts as one test.
step() {
    local name=$1 start=$SECONDS
    shift
    if "$@" >"$log" 2>&1; then
        passed=$((passed + 1))
        printf '%-34s ok      %4d s\n' "$name" $((SECONDS - start))
    else
        failed=$((failed + 1))
        printf '%-34s FAILED  %4d s\n' "$name" $((SECONDS - start))
        tail -n 60 "$log"
    fi
}

# A suite that counts its own tests, in the closing line of prove or pytest.
suite() {
    local name=$1 start=$SECONDS rc=0
    shift
    "$@" >"$log" 2>&1 || rc=$?
    local closing ok bad skip
    closing=$(grep -aE '^(=+ )?([0-9]+ (passed|failed|skipped|error|errors)[, ])+.*in [0-9]|^Files=' "$log" | tail -n 1)
    if [[ $closing == Files=* ]]; then
        ok=$(sed -n 's/.*Tests=\([0-9]*\).*/\1/p' <<<"$closing")
        bad=$(grep -acE '^ *Failed tests?:|^not ok' "$log")
    else
        ok=$(grep -oE '[0-9]+ passed' <<<"$closing" | tr -dc 0-9)
        bad=$(grep -oE '[0-9]+ (failed|error)' <<<"$closing" | awk '{n+=$1} END {print n+0}')
        skip=$(grep -oE '[0-9]+ skipped' <<<"$closing" | tr -dc 0-9)
    fi
    [ $rc = 0 ] || [ "${bad:-0}" -gt 0 ] || bad=1
    [ $rc != 0 ] || bad=0
    passed=$((passed + ${ok:-0})) failed=$((failed + ${bad:-0})) skipped=$((skipped + ${skip:-0}))
    printf '%-34s %5d passed, %d failed  %4d s\n' "$name" "${ok:-0}" "${bad:-0}" $((SECONDS - start))
    [ $rc = 0 ] || tail -n 80 "$log"
}

step 'build, gcc' make -j"$jobs" build
step 'build, clang' make -j"$jobs" check-clang
step 'lint' make lint
step 'clang-tidy and cppcheck' make tidy
step 'openapi.yaml equals the tables' make check-contract
suite 'unit' make -j"$jobs" check-unit
suite 'sql' make check-sql
suite 'api' make check-api
suite 'faults of database and machine' make check-faults
suite 'golden: the worked examples' make check-golden
suite 'accuracy: measured runs' make -j"$jobs" check-accuracy
suite 'page, in Chromium' make check-page
suite 'sheets, in LibreOffice' make check-sheets
suite 'fuzz corpus, gcc sanitizers' make -j"$jobs" MODE=asan check-fuzz
suite 'fuzz corpus, clang sanitizers' make -j"$jobs" MODE=asan CC=clang OUT=build/clang-asan check-fuzz
suite 'unit, address sanitizer' make -j"$jobs" MODE=asan check-unit
suite 'api, address sanitizer' env GPUPLAN_LEDGER_SCENARIOS=200 make -j"$jobs" MODE=asan check-api
step 'feeds spoilt, address sanitizer' make -j"$jobs" MODE=asan NUMBER=20000 mutate-feeds
suite 'unit, thread sanitizer' make -j"$jobs" MODE=tsan check-unit
suite 'api, thread sanitizer' env GPUPLAN_LEDGER_SCENARIOS=200 make -j"$jobs" MODE=tsan check-api

if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" = 0 ]
