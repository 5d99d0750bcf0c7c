#!/usr/bin/python3
"""rooms.py [BUILD] - folder sizes of service/, the names of its functions, the direction of its calls.

Refuses a folder of more than 41 files or 12% of the lines, a public function whose name does not
say where it is, a circle of calls between files, and a circle of calls between folders. Functions
and who calls them are read from the object files under BUILD (nm), so that it is what was linked,
not what was included; data such as field tables and the list of routes do not count. Says how to
mend what is refused.

A public function begins with the name of its file, of a folder that the file is in, or of the file
whose name its own continues: skypilot_attach() may be in feed/skypilot_hosts.c, next to skypilot.c.
Singular and plural are alike: fields_find() in base/field/field.c.
"""
import collections
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVICE = ROOT / "service"
FILES_MAX, SHARE_MAX = 41, 0.12
SUFFIXES = {".c", ".h", ".def"}


def tracked():
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "service"], cwd=ROOT, check=True,
                         capture_output=True, text=True).stdout.split("\n")
    return [ROOT / name for name in out if pathlib.Path(name).suffix in SUFFIXES and (ROOT / name).exists()]


def check_sizes(files):
    """A folder is what stands in it directly: its subfolders are folders of their own."""
    count, lines = collections.Counter(), collections.Counter()
    for path in files:
        count[path.parent] += 1
        lines[path.parent] += path.read_text().count("\n")
    total = sum(lines.values())
    for folder in sorted(count):
        share = lines[folder] / total
        if count[folder] > FILES_MAX or share > SHARE_MAX:
            yield (f"{folder.relative_to(ROOT)}: {count[folder]} files and {share:.0%} of the lines, at most {FILES_MAX} "
                   f"and {SHARE_MAX:.0%}: give a subject of it a folder of its own")


def read_symbols(build, files):
    """{function: its file}, {file: the names it wants}; files relative to service/ without their suffix."""
    sources = [path.relative_to(SERVICE).with_suffix("") for path in files if path.suffix == ".c"]
    objects = {str(build / "service" / f"{source}.o"): str(source) for source in sources}
    out = subprocess.run(["nm", "--print-file-name", *objects], check=True, capture_output=True, text=True).stdout
    defined, wanted = {}, {source: set() for source in objects.values()}
    for line in out.splitlines():
        path, _, symbol = line.partition(":")
        kind, name = symbol.split()[-2:]
        if kind == "T":
            defined[name] = objects[path]
        elif kind == "U":
            wanted[objects[path]].add(name)
    return defined, wanted


def begins(function, name):
    return any(f"{function}_".startswith(f"{form}_") for form in {name, name.removesuffix("s"), f"{name}s"})


def check_prefixes(defined, files):
    for function, source in sorted(defined.items()):
        *folders, stem = source.split("/")
        words = stem.split("_")
        continued = ["_".join(words[:n]) for n in range(1, len(words))
                     if "/".join([*folders, "_".join(words[:n])]) in files]
        if function != "main" and not any(begins(function, name) for name in [stem, *continued, *folders]):
            homes = sorted(f for f in files if begins(function, f.rpartition("/")[2]))
            yield (f"service/{source}.c: {function}() says neither its file nor its folder: let it begin with "
                   f"{' or '.join(f'{name}_' for name in [stem, *continued, *folders[-1:]])}"
                   + (f", or move it to {' or '.join(homes)}" if homes else ""))


def read_calls(defined, wanted):
    """{file: {file it calls: functions}}"""
    calls = {source: collections.defaultdict(set) for source in wanted}
    for source, names in wanted.items():
        for name in names & defined.keys():
            calls[source][defined[name]].add(name)
    return calls


def circles(graph):
    """Strongly connected components of more than one node (Tarjan, SIAM J. Computing 1, 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def check_calls(calls):
    for circle in circles(calls):
        arrows = [f"  {a} calls {b}: {', '.join(sorted(names))}" for a in circle
                  for b, names in calls[a].items() if b in circle]
        yield "\n".join([f"a circle of calls between {', '.join(circle)}; move a function down to the file that all "
                         "of them may call:", *arrows])


def check_folders(calls):
    def folder(name):
        return name.rpartition("/")[0] or "."

    graph, why = collections.defaultdict(set), collections.defaultdict(set)
    for source, others in calls.items():
        graph[folder(source)]
        for other, names in others.items():
            if folder(other) != folder(source):
                graph[folder(source)].add(folder(other))
                why[folder(source), folder(other)] |= names
    for circle in circles(graph):
        arrows = [f"  {a} calls {b}: {', '.join(sorted(why[a, b])[:8])}" for a in circle for b in graph[a] if b in circle]
        yield "\n".join([f"a circle of calls between the folders {', '.join(circle)}; move a file to where its callers "
                         "may reach it:", *arrows])


def main():
    build = ROOT / (sys.argv[1] if len(sys.argv) > 1 else "build/release")
    files = tracked()
    refused = list(check_sizes(files))
    if (build / "gpuplan").exists():
        defined, wanted = read_symbols(build, files)
        calls = read_calls(defined, wanted)
        refused += [*check_prefixes(defined, wanted.keys()), *check_calls(calls), *check_folders(calls)]
    else:
        print(f"rooms.py: no {build.relative_to(ROOT)}/gpuplan yet, so names and calls are not compared")
    print("\n".join(refused), file=sys.stderr, end="\n" if refused else "")
    sys.exit(bool(refused))


main()
