#!/bin/bash
# run.sh [long] - builds, then runs every suite to its end even if another failed; the last line counts
# the tests. `make test` and CI call it, `make test-long` with long. Suites wait for almost half of their
# time, so one more than there are cores run side by side; with twice as many, a daemon under
# ThreadSanitizer did not stop within its minute. No suite shares a server, a port or a file with another.
# Checks that only read the source have no time limit and run at a lower priority.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0 skipped=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
cores=$(nproc)
declare -A name=() begun=()

# The sum of the numbers in the parts of the closing lines that match.
count() {
    grep -oE "$1" <<<"$closing" | tr -dc '0-9\n' | awk '{n += $1} END {print n + 0}'
}

# Report a suite that ended: the tests that prove or pytest counted in their closing lines, or one.
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

# parts NUMBER NAME VARIABLE FOLDER COMMAND...: divide the test files of a folder over that number of suites, each with
# its own daemon and database.
parts() {
    local number=$1 what=$2 variable=$3 all part i
    mapfile -t all < <(find "$4" -name 'test_*.py' | sort)
    for ((part = 1; part <= number; part++)); do
        local some=()
        for ((i = part - 1; i < ${#all[@]}; i += number)); do some+=("${all[i]}"); done
        suite "$what $part/$number" "${@:5}" "$variable=${some[*]}"
    done
}

# alone NAME COMMAND...: with all cores to itself, and the next waits for it.
alone() {
    suite "$@"
    finish
}

alone 'build, gcc' make -j"$cores" build-tests
alone 'build, address sanitizer' make -j"$cores" MODE=asan build-tests
alone 'build, thread sanitizer and gcc -fanalyzer' make -j"$cores" MODE=tsan build-tests

# Each suite runs once: unit and API tests under ASan and UBSan, the stricter build. The other suites
# use the release build: page, faults, sheets, golden, consistency, memory use, and in the root of
# Debian 13 the unit and API tests that depend on the system.
# All random questions on serving designs are asked in the release build, a tenth of them under ASan.
# ThreadSanitizer runs the tests in which threads meet, and random questions, which bring every kind of
# calculation to the pool; test_quote_prices.py is left out, as one thread calculates its prices.
threads=$(echo tests/api/test_{access,archive,attacks,deadlines,http,limits,live,quote_keys,quotes,service_manager}.py)

# The longest first; the faults wait for most of their time.
each_once() {
    alone 'build, clang sanitizers' make -j"$cores" MODE=asan CC=clang OUT=build/clang-asan build-tests
    suite 'faults of database and machine' make check-faults
    parts 3 'api, address sanitizer' API tests/api make MODE=asan check-api
    suite 'unit, address sanitizer' make MODE=asan check-unit
    suite 'Debian 13' make check-debian
    suite 'api, thread sanitizer' make MODE=tsan API="$threads" check-api
    parts 3 'page, in Chromium' PAGE tests/page make check-page
    suite 'clang-tidy and cppcheck' nice make tidy
    suite 'sheets, in LibreOffice' make check-sheets
    suite 'accuracy: measured runs' make check-accuracy
    suite 'serving designs, all draws' make check-designs
    suite 'sql' make check-sql
    suite 'random questions, address sanitizer' make MODE=asan SECONDS=120 check-random
    suite 'memory of many clients' make API=tests/api/test_limits.py check-api
    suite 'unit, thread sanitizer' make MODE=tsan check-threads
    suite 'lint' make lint
    suite 'random questions, thread sanitizer' make MODE=tsan SECONDS=30 check-random
    suite 'client in TypeScript' make check-client
    suite 'consistency of the endpoints' make check-consistency
    suite 'golden: the worked examples' make check-golden
    suite 'fuzz corpus, gcc sanitizers' make MODE=asan check-fuzz
    suite 'fuzz corpus, clang sanitizers' make MODE=asan CC=clang OUT=build/clang-asan check-fuzz
    suite 'feeds spoilt, address sanitizer' make MODE=asan NUMBER=20000 mutate-feeds
    suite 'openapi.yaml equals the tables' make check-contract
}

# The same tests in every build, and longer random searches with a new seed every day.
campaigns() {
    suite 'random questions, half an hour' env GPUPLAN_DRIVER_NUMBER=10000000 make MODE=asan SECONDS=1800 check-random
    parts 3 'api, thread sanitizer' API tests/api make MODE=tsan check-api
    parts 3 'api' API tests/api make check-api
    suite 'unit' make check-unit
    suite 'unit, thread sanitizer' make MODE=tsan check-unit
    suite 'ledger, 20,000 scenarios' env GPUPLAN_LEDGER_SCENARIOS=20000 GPUPLAN_LEDGER_SEED="$(date +%Y%m%d)" \
        make API=tests/api/test_ledger_decimal.py check-api
    suite 'clang-tidy, as deep as it goes' make NODES=225000 tidy
    suite 'feeds spoilt, a million' make MODE=asan NUMBER=1000000 SEED="$(date +%Y%m%d)" mutate-feeds
    suite 'fuzz, ten minutes each' make -j"$cores" SECONDS=600 fuzz
    suite 'valgrind' make valgrind
}

if [ "${1:-}" = long ]; then campaigns; else each_once; fi
while [ "${#name[@]}" -gt 0 ]; do finish; done

counts="$passed passed, $failed failed"
[ "$skipped" = 0 ] || counts+=", $skipped skipped"
echo "$counts"
[ "$failed" = 0 ]
