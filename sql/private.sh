#!/bin/bash
# private.sh - a PostgreSQL of our own on a Unix socket, no TCP, as root or as an ordinary user.
#
#   private.sh start DIR [OPTION...]
#                            start the cluster in DIR/pgdata, made on first use, with options of
#                            postgres; prints env
#   private.sh stop DIR      stop it; the data stay
#   private.sh env DIR       print the exports that reach it; fails where it does not run
#   private.sh tmp -- CMD    run CMD with a throw-away cluster (tests)
#
# PostgreSQL refuses to run as root, so root runs it as `postgres`, the user Debian's packages
# make, with CAP_DAC_READ_SEARCH where it may be passed on: data below a 0700 directory works too.
# The socket is in a short directory of its own under /tmp, because its path may have no more than
# 107 bytes and a project's path may be longer.
set -euo pipefail

fail() {
    echo "private.sh: $1" >&2
    exit "${2:-1}"
}

find_server() { # $PGBIN, or the newest PostgreSQL installed
    local newest
    newest=${PGBIN:-$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)}
    [ -x "$newest/initdb" ] || fail 'no PostgreSQL server: apt-get install postgresql' 69
    echo "$newest"
}

# find_server_of DATADIR: the one whose version made it, as no other reads it; an upgrade of Debian
# brings a newer one and leaves this one installed
find_server_of() {
    local made_by has
    made_by=$(cat "$1/PG_VERSION")
    has=$("$bin/initdb" --version | grep -oE '[0-9]+' | head -n 1)
    if [ "$made_by" = "$has" ]; then
        echo "$bin"
    elif [ -x "/usr/lib/postgresql/$made_by/bin/postgres" ]; then
        echo "/usr/lib/postgresql/$made_by/bin"
    else
        fail "$1 was made by PostgreSQL $made_by, and only $has is installed: install postgresql-$made_by, \
or move it away to begin with an empty database" 69
    fi
}

choose_user() { # sets server_user and run_as
    server_user=$(id -u)
    run_as=()
    [ "$server_user" = 0 ] || return 0
    server_user=$(id -u postgres) || fail 'no user postgres to run the server as' 69
    run_as=(setpriv --reuid="$server_user" --regid="$(id -g postgres)" --init-groups)
    local reading=(--inh-caps=+dac_read_search --ambient-caps=+dac_read_search)
    if "${run_as[@]}" "${reading[@]}" -- true 2>/dev/null; then
        run_as+=("${reading[@]}")
    fi
    run_as+=(--)
}

give() { # a path to the server's user
    if [ "$(id -u)" = 0 ]; then chown "$server_user" "$@"; fi
}

socket_dir() {
    local dir
    dir=$(mktemp -d /tmp/gpuplan.XXXXXX)
    give "$dir"
    echo "$dir"
}

create() { # create DATADIR: a new, empty cluster
    "${run_as[@]}" env -C / "$bin/initdb" --pgdata "$1" --username gpuplan --auth trust \
        --no-sync --no-instructions --locale C.UTF-8 --encoding UTF8 >/dev/null
}

launch() { # launch DATADIR SOCKETDIR [OPTION...]: returns once it answers
    local data=$1 socket=$2
    shift 2
    "${run_as[@]}" env -C / "$bin/pg_ctl" start --wait --silent --pgdata "$data" \
        --log "$data/server.log" --options \
        "-k $socket -c listen_addresses= -c log_min_messages=warning $*" </dev/null 9>&- ||
        { tail -n 5 "$data/server.log" >&2; fail 'PostgreSQL does not start'; }
}

# running PID DATADIR: whether PID is the server of these files. After a crash the number may be somebody
# else's by now; a process that has ended keeps it until its parent asks, but has no command line.
running() {
    tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | grep -qF -e "-D $2 "
}

halt() { # halt DATADIR SIGNAL: INT for a clean stop, QUIT to drop everything
    local pid deadline=$((SECONDS + 300))
    pid=$(head -n 1 "$1/postmaster.pid" 2>/dev/null) || return 0
    running "$pid" "$1" || return 0
    kill -"$2" "$pid" 2>/dev/null || return 0
    while running "$pid" "$1"; do
        [ "$SECONDS" -lt "$deadline" ] || fail "PostgreSQL, process $pid, has not ended in 300 s"
        sleep 0.02
    done
}

print_env() { # print_env SOCKETDIR
    printf 'export %s\n' "PGHOST=$1" PGPORT=5432 PGUSER=gpuplan PGDATABASE=postgres \
        "DATABASE_URL='postgresql:///postgres?host=$1&port=5432&user=gpuplan'"
}

# former_socket_dir DIR: where it was before, so that a process waiting for it finds it again
former_socket_dir() {
    local socket
    socket=$(cat "$1/pgsock" 2>/dev/null) && [ -n "$socket" ] || return 1
    if mkdir -m 700 "$socket" 2>/dev/null; then
        give "$socket"
    fi
    [ "$(stat -c %u:%a "$socket")" = "$server_user:700" ] && echo "$socket" # a crash leaves it there
}

# await_recovery DATADIR: the end of the process that brings it up, if there is one
await_recovery() {
    local pid child children=()
    pid=$(head -n 1 "$1/postmaster.pid" 2>/dev/null) || return 0
    read -ra children 2>/dev/null <"/proc/$pid/task/$pid/children" || true # ends without a newline
    for child in "${children[@]}"; do
        if grep -q 'postgres: startup' "/proc/$child/cmdline" 2>/dev/null; then
            tail --pid="$child" --sleep-interval=0.02 -f /dev/null
        fi
    done
}

# running_socket DIR: the socket directory of a server that answers; one that starts, ends or recovers
# from a crash is waited for, as PostgreSQL 15 told to stop while it recovers may do neither
running_socket() {
    local socket status=1
    socket=$(cat "$1/pgsock" 2>/dev/null) && [ -n "$socket" ] || return 1
    while [ "$status" = 1 ]; do
        status=0
        "$bin/pg_isready" --quiet --host "$socket" --port 5432 || status=$?
        if [ "$status" = 1 ]; then await_recovery "$1/pgdata"; fi
    done
    [ "$status" = 0 ] && echo "$socket"
}

# enter DIR: sets dir; one starts or stops at a time
enter() {
    dir=$(realpath -m "$1")
    mkdir -p "$dir"
    exec 9>"$dir/pglock"
    flock 9
}

start() {
    local dir socket
    enter "$1"
    if [ ! -s "$dir/pgdata/PG_VERSION" ]; then
        rm -rf "$dir/pgdata.new"
        mkdir -m 700 "$dir/pgdata.new"
        give "$dir/pgdata.new"
        create "$dir/pgdata.new"
        sync -f "$dir"
        mv -T "$dir/pgdata.new" "$dir/pgdata"
    fi
    bin=$(find_server_of "$dir/pgdata")
    if ! socket=$(running_socket "$dir"); then
        halt "$dir/pgdata" INT # one whose socket was swept away
        socket=$(former_socket_dir "$dir") || socket=$(socket_dir)
        launch "$dir/pgdata" "$socket" "${@:2}"
        echo "$socket" >"$dir/pgsock"
    fi
    print_env "$socket"
}

stop() {
    local dir socket
    enter "$1"
    halt "$dir/pgdata" INT
    socket=$(cat "$dir/pgsock" 2>/dev/null) || return 0
    rm -rf "${socket:?}"
}

show_env() {
    local socket
    socket=$(running_socket "$1") || fail "no server running in $1" 69
    print_env "$socket"
}

# The first throw-away cluster leaves an empty one behind to copy the next from: initdb is slow.
tmp() {
    local template new='' work status=0
    template=/tmp/gpuplan-template-$server_user-$(basename "$(dirname "$bin")")
    if [ "$(stat -c %u "$template" 2>/dev/null)" != "$server_user" ]; then
        new=$(socket_dir)
        create "$new"
        mv -T "$new" "$template" 2>/dev/null || template=$new
    fi
    work=$(socket_dir)
    # shellcheck disable=SC2064 # the directory of now
    trap "halt $work/data QUIT; rm -rf $work ${new:-}" EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    cp -a --reflink=auto "$template" "$work/data"
    launch "$work/data" "$work" -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
        -c shared_buffers=32MB -c wal_level=minimal -c max_wal_senders=0
    eval "$(print_env "$work")"
    "$@" || status=$?
    exit "$status"
}

bin=$(find_server)
choose_user
case "${1:-} ${2:-}" in
'start '?*) start "${@:2}" ;;
'stop '?*) stop "$2" ;;
'env '?*) show_env "$2" ;;
'tmp --') shift 2 && tmp "$@" ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2 && exit 64 ;;
esac
