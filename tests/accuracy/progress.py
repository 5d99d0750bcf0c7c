"""Progress of what takes longer than a second, one line on standard error."""

import sys


def steps(what, items):
    """Yield the items, saying which one is under way."""
    items = list(items)
    for number, item in enumerate(items, 1):
        if sys.stderr.isatty():
            print(f"\r{what}: {number} of {len(items)}, {item}\x1b[K", end="", file=sys.stderr)
        yield item
    print(("\r" if sys.stderr.isatty() else "") + f"{what}: {len(items)} done"
          + ("\x1b[K" if sys.stderr.isatty() else ""), file=sys.stderr)
