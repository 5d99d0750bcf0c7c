#!/usr/bin/python3
"""imports.py FILE RELEASE... - what importing a file costs each release, one after the other.

    tests/bench/offers.py 1000000 25 > million.csv
    tests/bench/imports.py million.csv ../version-1 .

A release is a folder with sql/ and build/release/gpuplan; each gets an empty cluster of its own with
schema and seed. Wall time, CPU of the client, and CPU of PostgreSQL with all its processes; then what
a start (--check) costs with those prices. A busy machine lengthens the first, hardly the others.
"""
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile
import time

TICKS = os.sysconf("SC_CLK_TCK")


def stat(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()


def cpu_s(postmaster):
    """The figure of the server with all its processes, including those that have ended."""
    ticks = sum(map(int, stat(postmaster)[11:15]))
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = stat(path.name)
        except OSError:
            continue
        if int(fields[1]) == postmaster:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / TICKS


def wait_for_backends(postmaster):
    """Until the processes that served clients have ended and their time is the postmaster's."""
    def serving():
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if int(stat(path.name)[1]) == postmaster:
                    title = (path / "cmdline").read_bytes()
                    if not title or b"[local]" in title:  # none: it is ending, or has ended
                        return True
            except OSError:
                continue
        return False
    while serving():
        os.sched_yield()


def run(what, command, env, postmaster):
    before, server, start = resource.getrusage(resource.RUSAGE_CHILDREN), cpu_s(postmaster), time.monotonic()
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    wait_for_backends(postmaster)
    client = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    server = cpu_s(postmaster) - server
    print(f"  {what}: wall {wall:.2f} s, CPU {client + server:.2f} s: client {client:.2f}, PostgreSQL {server:.2f}"
          f"{'' if done.returncode == 0 else ' FAILED: ' + done.stderr}", flush=True)


def measure(release, file, directory):
    out = subprocess.run([release / "sql/private.sh", "start", directory], check=True, capture_output=True, text=True)
    env = dict(os.environ) | dict(word.split("=", 1) for word in shlex.split(out.stdout) if "=" in word)

    def query(sql):
        return subprocess.run(["psql", "-XAtqc", sql], env=env, check=True, capture_output=True, text=True).stdout.strip()
    try:
        subprocess.run([release / "sql/migrate.sh"], check=True, env=env, capture_output=True)
        query("checkpoint")
        postmaster = int((pathlib.Path(directory) / "pgdata/postmaster.pid").read_text(encoding="utf-8").split()[0])
        binary = release / "build/release/gpuplan"
        run("import", [binary, "import", file], env, postmaster)
        print("  rows, bytes a row of table and indexes:", query(
            "select count(*), pg_table_size('offer') / count(*), pg_indexes_size('offer') / count(*) from offer"))
        query("vacuum analyze offer")
        for _ in range(3):
            run("start", [binary, "--check"], env, postmaster)
    finally:
        subprocess.run([release / "sql/private.sh", "stop", directory], check=True, capture_output=True)


def main():
    for release in map(pathlib.Path, sys.argv[2:]):
        print(release)
        with tempfile.TemporaryDirectory(prefix="gpuplan-bench.") as directory:
            os.chmod(directory, 0o755)
            measure(release.resolve(), sys.argv[1], directory)


if __name__ == "__main__":
    main()
