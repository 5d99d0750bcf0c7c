#!/usr/bin/python3
"""bench.py [SECTION ...] - measure, and write RESULTS.md; all sections, or those named.

ROUNDS=5 is how often each of the servers that are compared has its turn.
"""
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import catalog  # noqa: E402
import endpoints  # noqa: E402
import growth  # noqa: E402
import load  # noqa: E402
import report  # noqa: E402
import searches  # noqa: E402
from conftest import Server  # noqa: E402

ROUNDS = int(os.environ.get("ROUNDS", "5"))


def served(measure):
    """Run measure(server, rounds) on a daemon with the seed."""
    with load.migrated() as (database, directory):
        server = Server(database.env, directory).start()
        try:
            return measure(server, ROUNDS)
        finally:
            server.stop()


SECTIONS = {
    "searches": ("Searches", searches.section),
    "catalogue": ("The catalogue at scale", catalog.section),
    "endpoints": ("Each endpoint", lambda: served(endpoints.section)),
    "growth": ("Growth, memory and start-up", lambda: served(growth.section)),
}


def main():
    for name in sys.argv[1:] or SECTIONS:
        title, run = SECTIONS[name]
        print(f"== {title}", flush=True)
        machine = report.Load()
        text = run()
        report.write(title, f"`make bench ONLY={name}`. {machine.text()}\n\n{text}")


if __name__ == "__main__":
    main()
