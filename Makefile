# One entry point for everything; `make help` lists it.
SHELL   := /bin/bash
MODE    ?= release
OUT     ?= build/$(MODE)
ifeq ($(origin CC),default)
CC      := gcc
endif
say      = $(if $(V),,@echo '  $(1)';)
# With ccache, what was compiled before, here or in another clone, is not compiled again: -ffile-prefix-map makes the
# objects of all clones equal.
CCACHE  := $(if $(shell command -v ccache),CCACHE_NOHASHDIR=1 ccache)
COMPILE  = $(CCACHE) $(CC)
PYTHON  := /usr/bin/python3
PREFIX  ?= /usr/local
# The commit; the release where there is no git, as in a container's build.
VERSION := $(or $(shell git describe --tags --always --dirty 2>/dev/null),$(shell sed -n 's/^\#\# \([0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wundef -Wvla \
        -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wcast-qual \
        -Wcast-align -Wwrite-strings -Wpointer-arith -Wformat=2 -Wimplicit-fallthrough -Werror
ifneq ($(findstring clang,$(CC)),)
WARN += -Wno-double-promotion       # which it says of long double too
WARN += -Wno-enum-float-conversion # a limit is an enum constant, a count a double; -Wextra of clang 16 and later
endif
release_CFLAGS  := -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
release_LDFLAGS := -pie -Wl,-z,relro,-z,now
# -g1 has the functions and lines that a sanitizer's report names; gcc takes a sixth less time than with -g.
SANITIZED       := -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# What clang builds runs the corpus of the fuzz targets only: not optimized, it is compiled in a third of the time.
asan_CFLAGS     := $(if $(findstring clang,$(CC)),-O0,-O1) $(SANITIZED)
# gcc's analyzer reads what is compiled for ThreadSanitizer: 83 s of processor, where two builds took 111; the tests take
# 8 % longer than at -O1.
# -O1 would hide an unchecked malloc() from it, and the address sanitizer a use after free as well.
tsan_CFLAGS     := -Og -g1 -fsanitize=thread
# gold links a test program in half of the time, where it is installed; clang's sanitizers make it warn.
tsan_LDFLAGS    := $(if $(findstring clang,$(CC)),,$(if $(shell command -v ld.gold),-fuse-ld=gold))
# At fixed addresses the 300,000 pointers of the field tables are not relocated at each of the API suite's 1,200 starts.
asan_LDFLAGS    := $(tsan_LDFLAGS) $(if $(findstring clang,$(CC)),,-no-pie)
cov_CFLAGS      := -O0 -g --coverage
valgrind_CFLAGS := -O1 -g # what _FORTIFY_SOURCE makes of memmove, valgrind takes for memcpy
fuzz_CFLAGS     := -O1 $(SANITIZED) -fsanitize=fuzzer-no-link
afl_CFLAGS      := -O1 $(SANITIZED)

CPPFLAGS += -D_GNU_SOURCE -Iservice -Itests/unit -I/usr/include/postgresql
CFLAGS   += -std=c17 $(WARN) $($(MODE)_CFLAGS) -fno-math-errno -fno-trapping-math -ffile-prefix-map=$(CURDIR)=.
LDFLAGS  += $($(MODE)_CFLAGS) $($(MODE)_LDFLAGS)
# A list of designs evaluates them thousands of times: 7 % fewer instructions, and the same answers.
ifeq ($(MODE),release)
$(OUT)/service/estimate/inference/%.o: CFLAGS += -O3
endif
ifeq ($(MODE)$(findstring clang,$(CC)),tsan)
$(OUT)/service/%.o: CFLAGS += -fanalyzer
endif
LDLIBS   += -lmicrohttpd -ljansson -lpq -lz -lm -lpthread

SRC     := $(filter-out service/main.c,$(shell find service -name '*.c'))
OBJ     := $(SRC:%.c=$(OUT)/%.o)
# The same as an archive, of which a test program gets what it calls: linked in a third of the time.
LIBRARY := $(OUT)/service.a
HELPERS := $(filter-out %_test.c,$(wildcard tests/unit/*.c))
UNIT    := $(patsubst tests/unit/%_test.c,$(OUT)/unit/%.t,$(wildcard tests/unit/*_test.c))
DAEMON  := $(OUT)/gpuplan
# The daemon as it will be when the formulas have changed, for tests of links to those of today.
NEXT      := $(OUT)/next/gpuplan
VERSIONED := $(shell grep -rl --include=*.c '"api/resource/version.h"' service)
SYSTEM_UNIT := $(filter %/store.t %/table.t %/live.t %/text.t $(OUT)/unit/http_% $(OUT)/unit/json_%,$(UNIT))
# Targets of the fuzzer, and what they share; each is linked with libFuzzer or with replay.c.
TARGETS := $(patsubst tests/fuzz/%_fuzz.c,%,$(wildcard tests/fuzz/*_fuzz.c))
FUZZED  := tests/unit/fixture.c tests/unit/http_client.c $(filter-out %_fuzz.c %/replay.c,$(wildcard tests/fuzz/*.c))
# programs of tests/accuracy, and the layers they need: no HTTP, no API
ESTIMATE := $(filter $(addprefix $(OUT)/service/,base/% catalog/% estimate/% json/% store/%),$(OBJ))
MEASURE := $(patsubst tests/accuracy/%.c,$(OUT)/accuracy/%,$(wildcard tests/accuracy/*.c))
BENCHES := $(patsubst tests/bench/%.c,$(OUT)/bench/%,$(wildcard tests/bench/*.c))

# What make test runs in each mode, to be built before. With clang, programs that are
# not run are only compiled, for its warnings, without optimization and sanitizers: ccache holds objects,
# but nothing of -fsyntax-only.
REPLAY         := $(TARGETS:%=$(OUT)/replay/%)
THREADS_UNIT   := $(filter %/store.t %/live.t $(OUT)/unit/http_%,$(UNIT))
# With a sanitizer it draws a tenth of its questions; in a plain build all.
DRAWN_UNIT     := $(OUT)/unit/serving_designs.t $(OUT)/unit/serving_monotone.t
TESTED_release := $(NEXT) $(MEASURE) $(BENCHES) $(DRAWN_UNIT)
TESTED_asan    := $(NEXT) $(UNIT) $(REPLAY) $(OUT)/feeds/mutate
TESTED_tsan    := $(NEXT) $(THREADS_UNIT)
TESTED         := $(if $(findstring clang,$(CC)),$(REPLAY) $(patsubst %.c,$(OUT)/%.parsed,$(filter-out $(FUZZED), \
                  $(wildcard tests/unit/*.c tests/accuracy/*.c tests/feeds/*.c))),$(TESTED_$(MODE)))

# What each step needs from Debian: names that Debian 12 and 13 have alike. Any PostgreSQL server will do.
BUILD_PACKAGES := gcc libc6-dev libmicrohttpd-dev libjansson-dev libpq-dev zlib1g-dev
RUN_PACKAGES   := $(if $(wildcard /usr/lib/postgresql/*/bin/initdb),,postgresql) curl
CHECK_PACKAGES := perl python3-pytest python3-yaml python3-jsonschema
# Node.js from elsewhere brings its own npm, which Debian's stands in the way of.
CLIENT_PACKAGES := $(if $(shell command -v npm),,nodejs npm)
TEST_PACKAGES  := ccache clang libclang-rt-dev clang-format clang-tidy cppcheck shellcheck man-db systemd zsh \
                  $(CHECK_PACKAGES) debootstrap python3-selenium chromium-headless-shell chromium-driver poppler-utils \
                  libreoffice-calc-nogui python3-uno python3-numpy python3-scipy prometheus iproute2 nginx-light \
                  $(CLIENT_PACKAGES)
BENCH_PACKAGES := wrk nginx-light python3-pytest

.DEFAULT_GOAL := help
.PHONY: help build build-tests run import psql test test-long check check-contract check-unit check-threads check-designs check-api check-sql check-golden \
        check-client check-consistency consistency check-page \
        check-faults check-system check-debian check-fuzz check-random check-sheets check-accuracy fuzz afl accuracy calibrate bench bench-search bench-serving \
        bench-risk bench-fleet bench-profile load check-image mutate-feeds check-clang asan tsan cov valgrind analyze lint tidy \
        fmt openapi deps deps-check deps-test deps-bench install deb clean
.SECONDARY:

help: ## show this list
	@awk -F ':.*## ' '/^[a-z][a-z -]*:.*## /{printf "  %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: deps ## install what is missing, build, start the private database, serve on http://127.0.0.1:8080/
	@$(MAKE) --no-print-directory -j$(shell nproc) build
	@GPUPLAN_BINARY=$(DAEMON) service/run.sh

import: build ## import FEED=folder-or-file into the database of make run (OPTIONS=--dry-run, --list or "--undo RUN")
	@GPUPLAN_BINARY=$(DAEMON) service/run.sh import $(OPTIONS) $(if $(FEED),"$(FEED)",$(if $(OPTIONS),,--help))

psql: ## SQL on the database of make run (OPTIONS="-c 'select ...'")
	@service/run.sh psql $(OPTIONS)

test: deps-test ## install what is missing and run every suite that CI runs
	@tests/run.sh

test-long: deps-test ## takes hours: every test in every build, and longer random searches
	@tests/run.sh long

build: $(DAEMON) ## build the daemon (MODE=release, asan, tsan or cov; CC=gcc or clang)
	@:

build-tests: build $(TESTED) ## the daemon and the programs that test it in this MODE
	@:

check: lint check-contract check-unit check-sql check-api check-golden ## what a commit must pass; faster than test

check-threads: $(THREADS_UNIT) ## the unit tests in which threads meet (MODE=tsan)
	@prove --exec '$(UNDER)' $^

check-unit: $(UNIT) ## unit tests (MODE=asan, MODE=tsan to sanitise)
	@prove --exec '$(UNDER)' $(UNIT)

check-designs: $(DRAWN_UNIT) ## serving designs for thousands of random questions, against every legal design
	@prove --exec '$(UNDER)' $^

API ?= tests/api
check-api: deps-check build $(NEXT) ## API tests: a real daemon on a throw-away cluster (API=some of their files)
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) -m pytest -q -p no:cacheprovider $(API)

check-sql: deps-check ## schema, seed and migration tests on throw-away clusters
	@$(PYTHON) -m pytest -q -p no:cacheprovider tests/sql

check-golden: deps-check build ## the source documents' worked examples, asked of the API
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) -m pytest -q -p no:cacheprovider tests/golden

check-consistency: deps-check build ## one question asked of every endpoint: figures that should agree
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) -m pytest -q -p no:cacheprovider tests/consistency

consistency: build ## rewrite the list of those that do not: tests/consistency/CONTRADICTIONS.md, known.csv
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) tests/consistency/contradictions.py

check-client: deps-test build ## a TypeScript client generated from api/openapi.yaml, type-checked and run
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) -m pytest -q -rs -p no:cacheprovider tests/client

PAGE ?= tests/page
check-page: deps-test build $(NEXT) ## the page in a real browser (PAGE=some of its tests)
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) -m pytest -q -p no:cacheprovider $(PAGE)

check-faults: deps-test build ## failures of database, network, disk, memory and clock, and upgrades
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) -m pytest -q -rs -p no:cacheprovider tests/faults

# What other versions of the libraries, of PostgreSQL and of the compiler could break.
SYSTEM_TESTS := tests/api/test_attacks.py tests/api/test_access.py tests/api/test_http.py tests/api/test_run.py
check-system: deps-check ## what depends on the system: HTTP, database, SQL, worked examples, some API tests
	@$(MAKE) --no-print-directory -j$(shell nproc) build $(SYSTEM_UNIT)
	@$(MAKE) --no-print-directory check-unit UNIT="$(SYSTEM_UNIT)"
	@$(MAKE) --no-print-directory check-sql check-golden check-contract check-api API="$(SYSTEM_TESTS)"

SUITE ?= trixie
check-debian: ## check-system in a root of another Debian (SUITE=trixie TARGET=test for everything)
	@tests/debian/check.sh $(SUITE) $(TARGET)

check-image: ## build and run the container image with podman or docker (ENGINE="podman --option")
	@tests/container/check.sh

check-sheets: deps-test build ## the workbooks, recalculated by LibreOffice
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) -m pytest -q -p no:cacheprovider tests/sheets

check-accuracy: deps-test $(MEASURE) ## the estimates against measured runs, each source left out of the fit in turn
	@MEASURE=$(OUT)/accuracy $(PYTHON) -m pytest -q -p no:cacheprovider tests/accuracy

accuracy: $(MEASURE) ## compare the estimates with measured runs, and write tests/accuracy/RESULTS.md
	@MEASURE=$(OUT)/accuracy $(PYTHON) tests/accuracy/accuracy.py

calibrate: $(MEASURE) ## refit the training constants to the measured runs; writes a migration and the seed
	@MEASURE=$(OUT)/accuracy $(PYTHON) tests/accuracy/calibrate.py

mutate-feeds: $(OUT)/feeds/mutate ## NUMBER randomly corrupted feeds: no crash, no row that its line does not state (MODE=asan)
	@$< $(or $(NUMBER),100000) $(or $(SEED),1) tests/feeds/quirks/*.csv tests/feeds/own/*.csv

bench-risk: $(OUT)/bench/risk ## 1,000 to a million draws of buy or rent on one core
	@$<

bench-serving: $(OUT)/bench/serving ## inference estimates and designs per second on one core
	@$<

bench: deps-bench build $(BENCHES) ## measure everything, takes minutes; writes tests/bench/RESULTS.md (ONLY=endpoints: that section)
	@GPUPLAN_BINARY=$(DAEMON) BARE=$(OUT)/bench/bare $(PYTHON) tests/bench/bench.py $(ONLY)

bench-fleet: build ## the load of a thousand daemons on one PostgreSQL (PRICES=1000000 DAEMONS=50); writes tests/bench/RESULTS-fleet.md
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) tests/bench/fleet.py

load: build $(OUT)/load/load ## mixed traffic at the highest sustained rate, MINUTES=10, also under disturbances; writes tests/load/RESULTS.md
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) tests/load/run.py

bench-profile: build ## instructions per request of the estimates, by callgrind (tests/bench/PROFILE.md)
	@GPUPLAN_BINARY=$(DAEMON) tests/bench/profile.sh

bench-search: $(OUT)/bench/search ## strategies per second on one core: Turing-NLG 530B, GPT-3 175B, all GPUs for a 70B
	@$<

check-contract: deps-check build ## api/openapi.yaml equals the field tables
	@tests/lint/contract.py $(DAEMON)

check-fuzz: $(TARGETS:%=$(OUT)/replay/%) ## the inputs in tests/fuzz/corpus, each through its fuzz target
	@prove --exec '' $^

check-random: build ## random valid questions for SECONDS=120, each answer checked for invariants (MODE=asan)
	@GPUPLAN_BINARY=$(DAEMON) $(PYTHON) tests/driver/drive.py $(or $(SECONDS),120)

fuzz: build ## fuzz each target for SECONDS=60, with libFuzzer
	@$(MAKE) --no-print-directory MODE=fuzz CC=clang $(TARGETS:%=build/fuzz/fuzz/%)
	@tests/fuzz/run.sh $(DAEMON) $(or $(SECONDS),60) $(TARGETS:%=build/fuzz/fuzz/%)

afl: build ## the same with AFL++ (package afl++)
	@AFL_QUIET=1 $(MAKE) --no-print-directory MODE=afl CC=afl-clang-fast $(TARGETS:%=build/afl/fuzz/%)
	@tests/fuzz/run.sh $(DAEMON) $(or $(SECONDS),60) $(TARGETS:%=build/afl/fuzz/%)

check-clang: ## build everything with clang as well
	@$(MAKE) --no-print-directory CC=clang OUT=build/clang build

asan tsan: ## unit and API tests under a sanitizer
	@$(MAKE) --no-print-directory MODE=$@ check-unit check-api

cov: ## unit, API and fault tests: lines and branches reached (FOLDER="store http": those that are not)
	@find build/cov -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory MODE=cov check-unit check-api check-faults
	@tests/coverage.py build/cov $(FOLDER)

# Not live.t: its threads race for thousands of turns, and valgrind lets one run at a time; make tsan has it.
valgrind: ## unit tests and a run of the daemon under valgrind: no errors, no leaks
	@$(MAKE) --no-print-directory MODE=valgrind UNDER=tests/valgrind/run.sh \
	    UNIT='$(patsubst $(OUT)/%,build/valgrind/%,$(filter-out %/live.t,$(UNIT)))' build check-unit
	@WATCHED=build/valgrind/gpuplan GPUPLAN_BINARY=tests/valgrind/run.sh \
	    $(PYTHON) -m pytest -q -p no:cacheprovider tests/valgrind tests/api/test_examples.py

analyze: ## gcc -fanalyzer over the daemon, as it compiles it for ThreadSanitizer; takes a minute
	@$(MAKE) --no-print-directory MODE=tsan CC=gcc build

lint: ## formatting, layers, banned calls, function lengths, names, shell
	@for check in tests/lint/*.sh; do "$$check" || exit 1; done
	@tests/lint/rooms.py
	@git ls-files '*.sh' | xargs shellcheck

# States that the analyzer follows in a function at most. Its own 225,000 take four times as long; make test-long has them.
NODES ?= 50000
# What cppcheck found in files with the same bytes, in the compiler's cache: a clone of the tree does not begin anew.
CHECKED := $(or $(CCACHE_DIR),$(or $(XDG_CACHE_HOME),$(HOME)/.cache))/gpuplan-cppcheck
tidy: ## clang-tidy on files changed since it last passed, and cppcheck (NODES=225000: deepest)
	@tests/tidy.sh -std=c17 -Xclang -analyzer-config -Xclang max-nodes=$(NODES) $(CPPFLAGS) -- $(SRC) service/main.c
	@mkdir -p "$(CHECKED)"
	@flock "$(CHECKED).lock" cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	    --cppcheck-build-dir="$(CHECKED)" --inline-suppr --suppressions-list=tests/lint/cppcheck.suppress \
	    -Iservice -D_GNU_SOURCE service

fmt: ## format all C in place
	@tests/lint/format.sh -i

openapi: build ## regenerate api/openapi.yaml from the field tables, and the workbooks of api/sheets from it
	@$(DAEMON) --openapi | $(PYTHON) tests/lint/openapi_yaml.py > api/openapi.yaml
	@api/sheets/make.py

deps:
	@tests/install.sh 'to build and run' $(BUILD_PACKAGES) $(RUN_PACKAGES)

deps-check:
	@tests/install.sh 'to build and check' $(BUILD_PACKAGES) $(RUN_PACKAGES) $(CHECK_PACKAGES)

deps-test:
	@tests/install.sh 'to build, run and test' $(BUILD_PACKAGES) $(RUN_PACKAGES) $(TEST_PACKAGES)

deps-bench:
	@tests/install.sh 'to build and measure' $(BUILD_PACKAGES) $(RUN_PACKAGES) $(BENCH_PACKAGES)

install: build ## install daemon, page, SQL, man page and systemd units under $(DESTDIR)$(PREFIX)
	@service/package/install.sh $(DAEMON) $(PREFIX)

deb: build ## build a Debian package in build/, reproducible from a commit
	@service/package/deb.sh $(DAEMON) build

clean: ## remove everything built (the database under var/ stays)
	@rm -rf build

$(DAEMON): $(OUT)/service/main.o $(OBJ)
	$(call say,link $@)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(LIBRARY): $(OBJ)
	@rm -f $@
	$(call say,ar   $@)ar rcsT $@ $^

$(NEXT): $(VERSIONED:%.c=$(OUT)/next/%.o) $(filter-out $(VERSIONED:%.c=$(OUT)/%.o),$(OBJ))
	$(call say,link $@)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(OUT)/next/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,cc   $< as of the next formulas)$(COMPILE) $(CPPFLAGS) -DMODEL_VERSION='"99.0"' \
	    -DMODEL_VERSIONS_BEFORE='"1.0,1.1,1.2,1.3,1.4"' $(CFLAGS) -MMD -MP -c $< -o $@

$(OUT)/unit/%.t: $(OUT)/tests/unit/%_test.o $(HELPERS:%.c=$(OUT)/%.o) $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,link $@)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(OUT)/accuracy/%: $(OUT)/tests/accuracy/%.o $(filter-out %/http_client.o %/pool_fixture.o,$(HELPERS:%.c=$(OUT)/%.o)) $(ESTIMATE)
	@mkdir -p $(@D)
	$(call say,link $@)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(OUT)/feeds/mutate: $(patsubst %.c,$(OUT)/%.o,$(wildcard tests/feeds/*.c)) $(filter $(addprefix $(OUT)/service/,base/% feed/%),$(OBJ))
	@mkdir -p $(@D)
	$(call say,link $@)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(OUT)/bench/%: $(OUT)/tests/bench/%.o $(HELPERS:%.c=$(OUT)/%.o) $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,link $@)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(OUT)/load/%: $(OUT)/tests/load/%.o $(filter $(OUT)/service/base/%,$(OBJ))
	@mkdir -p $(@D)
	$(call say,link $@)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(OUT)/replay/%: $(OUT)/tests/fuzz/%_fuzz.o $(OUT)/tests/fuzz/replay.o $(FUZZED:%.c=$(OUT)/%.o) $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,link $@)$(CC) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(OUT)/fuzz/%: $(OUT)/tests/fuzz/%_fuzz.o $(FUZZED:%.c=$(OUT)/%.o) $(LIBRARY)
	@mkdir -p $(@D)
	$(call say,link $@)$(CC) $(LDFLAGS) -fsanitize=fuzzer $^ $(LDLIBS) -o $@

$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,cc   $<)$(COMPILE) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(OUT)/%.parsed: %.c Makefile
	@mkdir -p $(@D)
	$(call say,parse $<)$(COMPILE) $(CPPFLAGS) $(CFLAGS) -O0 -fno-sanitize=all -MMD -MP -MF $@.d -MT $@ -c $< -o $@

$(OUT)/service/main.o: CPPFLAGS += -DVERSION='"$(VERSION)"'

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
