#!/usr/bin/python3
"""bench.py [SECTION ...] - measure, and write RESULTS.md; all sections, or those named.

ROUNDS=5 is how often each of the servers that are compared has its turn.
"""
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import catalog  # noqa: E402
import endpoints  # noqa: E402
import growth  # noqa: E402
import report  # noqa: E402
import searches  # noqa: E402
from conftest import Database, Server  # noqa: E402

ROUNDS = int(os.environ.get("ROUNDS", "5"))


def served(measure):
    """Run measure(server, rounds) on a daemon with the seed."""
    with tempfile.TemporaryDirectory(prefix="gpuplan-bench.") as directory:
        pathlib.Path(directory).chmod(0o755)
        database = Database(directory)
        database.start()
        try:
            database.migrate()
            server = Server(database.env, directory).start()
            try:
                return measure(server, ROUNDS)
            finally:
                server.stop()
        finally:
            database.stop()


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
        load = report.Load()
        text = run()
        report.write(title, f"`make bench ONLY={name}`. {load.text()}\n\n{text}")


if __name__ == "__main__":
    main()
