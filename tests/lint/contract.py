#!/usr/bin/python3
"""contract.py [DAEMON] - the committed contract, api/openapi.yaml, is what the daemon's field tables
say (`DAEMON --openapi`), and is sound by itself. Says each difference by JSON pointer."""
import json
import os
import pathlib
import re
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DAEMON = os.environ.get("GPUPLAN_BINARY", "build/release/gpuplan")
CONTRACT = ROOT / "api/openapi.yaml"
SHOWN = 20


def differences(committed, made, pointer="#"):
    """Yield a line for each place where the two documents differ."""
    if isinstance(committed, dict) and isinstance(made, dict):
        for key in dict.fromkeys([*made, *committed]):
            place = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in committed:
                yield f"{place}: the daemon has it, openapi.yaml has not"
            elif key not in made:
                yield f"{place}: openapi.yaml has it, the daemon has not"
            else:
                yield from differences(committed[key], made[key], place)
    elif isinstance(committed, list) and isinstance(made, list) and len(committed) == len(made):
        for i, (a, b) in enumerate(zip(committed, made)):
            yield from differences(a, b, f"{pointer}/{i}")
    # To Python True is 1; to JSON it is not.
    elif committed != made or isinstance(committed, bool) != isinstance(made, bool):
        yield f"{pointer}: openapi.yaml says {committed!r:.120}, the daemon {made!r:.120}"


def members(node, pointer="#"):
    """Yield every (pointer, key, value) in the document."""
    pairs = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in pairs:
        yield pointer, key, value
        yield from members(value, f"{pointer}/{key}")


def resolve(document, reference):
    """What a local reference points to, None where nothing is there."""
    node = document
    for part in reference.removeprefix("#/").split("/"):
        node = node.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    return node


def operation_faults(document, path, method, operation):
    place = f"{method.upper()} {path}"
    if not operation.get("summary"):
        yield f"{place}: no summary"
    names = []
    for parameter in operation.get("parameters", []):
        parameter = resolve(document, parameter["$ref"]) if "$ref" in parameter else parameter
        names.append(parameter["name"])
        if not parameter.get("description"):
            yield f"{place}: {parameter['name']} has no description"
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield f"{place}: {name} is there twice"
    for name in re.findall(r"\{(\w+)\}", path):
        if method == "get" and name not in names:
            yield f"{place}: {{{name}}} is not described"


def faults(document):
    """Yield what is wrong with the document by itself."""
    if not document.get("openapi", "").startswith("3.1."):
        yield f"#/openapi: {document.get('openapi')}, not 3.1"
    for pointer, key, value in members(document):
        if key == "$ref" and resolve(document, value) is None:
            yield f"{pointer}: {value} is nowhere"
        if isinstance(value, dict) and {"minimum", "maximum"} <= value.keys():
            if value["minimum"] > value["maximum"]:
                yield f"{pointer}/{key}: minimum over maximum"
    for path, operations in document.get("paths", {}).items():
        for method, operation in operations.items():
            yield from operation_faults(document, path, method, operation)


def main():
    daemon = sys.argv[1] if len(sys.argv) > 1 else DAEMON
    printed = subprocess.run([ROOT / daemon, "--openapi"], capture_output=True, text=True, check=True)
    made = json.loads(printed.stdout)
    committed = yaml.safe_load(CONTRACT.read_text(encoding="utf-8")) if CONTRACT.exists() else {}

    found = [*faults(made), *differences(committed, made)]
    for line in found[:SHOWN]:
        print(line)
    if len(found) > SHOWN:
        print(f"... and {len(found) - SHOWN} more")
    if found:
        print("contract.py: `make openapi` writes api/openapi.yaml anew; look at what it changes")
        return 1
    operations = sum(len(methods) for methods in made["paths"].values())
    print(f"contract.py: {len(made['paths'])} paths, {operations} operations, the same in both")
    return 0


if __name__ == "__main__":
    sys.exit(main())
