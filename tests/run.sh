#!/bin/bash
# run.sh - builds, then every suite, each in full even where another failed; ends with a line that
# counts the tests. `make test` and CI call it. Suites wait more than they calculate, so one more
# than there are cores run side by side: none shares a server, a port or a file with another.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 skipped=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
cores=$(nproc)
declare -A name=() begun=()

# The sum of the numbers in what matches of the closing lines.
count() {
    grep -oE "$1" <<<"$closing" | tr -dc '0-9\n' | awk '{n += $1} END {print n + 0}'
}

# What ended with a status: the tests it counted in the closing lines of prove and pytest, or one.
report() {
    local what=$1 rc=$2 seconds=$3 log=$4
    local closing ok=1 bad=0 skip=0
    closing=$(grep -aE '^(=+ )?([0-9]+ (passed|failed|skipped|error|errors)[, ])+.*in [0-9]|^Files=' "$log")
    if [ "$closing" ]; then
        ok=$(count '[0-9]+ passed|Tests=[0-9]+')
        bad=$(($(count '[0-9]+ (failed|error)') + $(grep -acE '^ *Failed tests?:|^not ok' "$log")))
        skip=$(count '[0-9]+ skipped')
    elif [ "$rc" != 0 ]; then
        ok=0
    elif grep -aq '^not run:' "$log"; then
        ok=0 skip=1
    fi
    [ "$rc" = 0 ] || [ "$bad" -gt 0 ] || bad=1
    [ "$rc" != 0 ] || bad=0
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
    printf '%-34s %5d passed, %d failed  %4d s\n' "$what" "$ok" "$bad" "$seconds"
    grep -aE '^SKIPPED|^not run:' "$log"
    [ "$rc" = 0 ] || tail -n 80 "$log"
}

# Wait for any of the running suites and report it.
finish() {
    local pid rc=0
    wait -n -p pid || rc=$?
    report "${name[$pid]}" "$rc" $((SECONDS - begun[$pid])) "$logs/$pid"
    unset "name[$pid]" "begun[$pid]"
}

# suite NAME COMMAND...: in the background, as soon as there is room.
suite() {
    local what=$1
    shift
    while [ "${#name[@]}" -gt "$cores" ]; do finish; done
    ("$@" >"$logs/$BASHPID" 2>&1) &
    name[$!]=$what begun[$!]=$SECONDS
}

# alone NAME COMMAND...: with all cores to itself, and the next waits for it.
alone() {
    suite "$@"
    finish
}

alone 'build, gcc' make -j"$cores" build-tests
alone 'build, clang' make -j"$cores" check-clang
alone 'build, address sanitizer' make -j"$cores" MODE=asan build-tests
alone 'build, thread sanitizer' make -j"$cores" MODE=tsan build-tests
alone 'build, clang sanitizers' make -j"$cores" MODE=asan CC=clang OUT=build/clang-asan build-tests

# Suites where threads interact; single-threaded code is covered under ASan.
threads=$(echo tests/api/test_{access,archive,attacks,break_even_risk,currency,formats,http,import,inference_options,limits,live,prices,quote_keys,quotes,recommendation,service_manager,training_options}.py)

# The longest first.
suite 'api, thread sanitizer' make MODE=tsan API="$threads" check-api
suite 'api, address sanitizer' env GPUPLAN_LEDGER_SCENARIOS=200 make MODE=asan check-api
suite 'api' make check-api
suite 'page, in Chromium' make check-page
suite 'faults of database and machine' make check-faults
suite 'clang-tidy and cppcheck' make tidy
suite 'gcc -fanalyzer' make -j"$cores" analyze
suite 'Debian 13' make check-debian
suite 'unit, thread sanitizer' make MODE=tsan check-unit
suite 'unit, address sanitizer' make MODE=asan check-unit
suite 'sql' make check-sql
suite 'accuracy: measured runs' make check-accuracy
suite 'sheets, in LibreOffice' make check-sheets
suite 'golden: the worked examples' make check-golden
suite 'client in TypeScript' make check-client
suite 'consistency of the endpoints' make check-consistency
suite 'fuzz corpus, gcc sanitizers' make MODE=asan check-fuzz
suite 'fuzz corpus, clang sanitizers' make MODE=asan CC=clang OUT=build/clang-asan check-fuzz
suite 'random questions, address sanitizer' make MODE=asan check-random
suite 'feeds spoilt, address sanitizer' make MODE=asan NUMBER=20000 mutate-feeds
suite 'lint' make lint
suite 'openapi.yaml equals the tables' make check-contract
suite 'unit' make check-unit
while [ "${#name[@]}" -gt 0 ]; do finish; done

counts="$passed passed, $failed failed"
[ "$skipped" = 0 ] || counts+=", $skipped skipped"
echo "$counts"
[ "$failed" = 0 ]
