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
sys.path.insert(0, str(ROOT / "tests"))
from openapi import inlined, pointed_to  # noqa: E402

DAEMON = os.environ.get("GPUPLAN_BINARY", "build/release/gpuplan")
CONTRACT = ROOT / "api/openapi.yaml"
LABELS = ROOT / "service/answer"
ENDINGS = ("_low", "_high", "_spread", "_at_low", "_at_high")  # of labels.c
NO_WORDS = re.compile(r"_|\.$|[a-z]-?\d+-|/v1|=|\s\s|^\s|\s$")
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
    try:
        return pointed_to(document, reference)
    except (KeyError, TypeError):
        return None


def label_faults(name, schema, is_input):
    """A label in words, and of an input a hint."""
    for member in ("x-label", "x-hint") if is_input else ("x-label",):
        text = schema.get(member, "")
        if not text:
            yield f"{name}: no {member}; add its row to service/answer/labels_{'in' if is_input else 'out'}.def"
        elif NO_WORDS.search(text):
            yield f"{name}: {member} {text!r} is to be plain words without a period at the end"
        elif not text[0].isupper():
            yield f"{name}: {member} {text!r} begins with a small letter"


def answer_faults(schema):
    for name, field in schema.get("properties", {}).items():
        yield from label_faults(name, field, False)
        yield from answer_faults(field.get("items", {}))


def operation_faults(document, path, method, operation):
    place = f"{method.upper()} {path}"
    if not operation.get("summary"):
        yield f"{place}: no summary"
    if not re.fullmatch(r"[a-z]+([A-Z][a-z]*)+", operation.get("operationId", "")):
        yield f"{place}: operationId {operation.get('operationId')!r} is no verbNoun"
    if not {*operation.get("tags", [])} & {tag["name"] for tag in document.get("tags", [])}:
        yield f"{place}: no tag, or an unknown one"
    operation = inlined(document, operation)
    names = [parameter["name"] for parameter in operation.get("parameters", [])]
    for parameter in operation.get("parameters", []):
        if not parameter["schema"].get("description"):
            yield f"{place}: {parameter['name']} has no description"
        yield from label_faults(parameter["name"], parameter["schema"], True)
    for name in sorted({n for n in names if names.count(n) > 1}):
        yield f"{place}: {name} is there twice"
    for name in re.findall(r"\{(\w+)\}", path):
        if name not in names:
            yield f"{place}: {{{name}}} is not described"
    for media in operation.get("requestBody", {}).get("content", {}).values():
        for name, field in media["schema"].get("properties", {}).items():
            yield from label_faults(name, field, True)
    for status, response in operation["responses"].items():
        if status.startswith("2"):
            for media in response.get("content", {}).values():
                yield from answer_faults(media["schema"])


def component_faults(document, text):
    """A component that nothing refers to, a label that no field has, two operations of one name."""
    for kind, components in document["components"].items():
        for name in components:
            if kind != "securitySchemes" and f'"#/components/{kind}/{name}"' not in text:
                yield f"#/components/{kind}/{name}: nothing refers to it"
    known = set(re.findall(r'"(\w+)":', text)) | set(re.findall(r'"name":"(\w+)"', text)) | {"idempotency_key"}
    for table in ("in", "out"):
        rows = re.findall(r"^[A-Z]+\((\w+),", (LABELS / f"labels_{table}.def").read_text(), re.M)
        yield from (f"labels_{table}.def: no field is called {name}" for name in rows
                    if not {name, *(name + ending for ending in ENDINGS)} & known)
        if rows != sorted(rows):
            yield f"labels_{table}.def: is not sorted by name"
    names = [operation["operationId"] for path in document["paths"].values() for operation in path.values()]
    yield from (f"operationId {name} is there twice" for name in {n for n in names if names.count(n) > 1})


def faults(document, text):
    """Yield what is wrong with the document by itself."""
    if not document.get("openapi", "").startswith("3.1."):
        yield f"#/openapi: {document.get('openapi')}, not 3.1"
    for pointer, key, value in members(document):
        if key == "$ref" and resolve(document, value) is None:
            yield f"{pointer}: {value} is nowhere"
            return
        if isinstance(value, dict) and "x-label" in value and {"minimum", "maximum"} <= value.keys():
            if value["minimum"] > value["maximum"]:
                yield f"{pointer}/{key}: minimum over maximum"
    yield from component_faults(document, text)
    for path, operations in document.get("paths", {}).items():
        for method, operation in operations.items():
            yield from operation_faults(document, path, method, operation)


def without_twins(pairs):
    """JSON takes the last of two members of one name; here it is refused."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise SystemExit(f"contract.py: a name is there twice among {sorted(name for name, _ in pairs)}")
    return made


def main():
    daemon = sys.argv[1] if len(sys.argv) > 1 else DAEMON
    printed = subprocess.run([ROOT / daemon, "--openapi"], capture_output=True, text=True, check=True)
    made = json.loads(printed.stdout, object_pairs_hook=without_twins)
    committed = yaml.safe_load(CONTRACT.read_text(encoding="utf-8")) if CONTRACT.exists() else {}

    found = [*dict.fromkeys(faults(made, printed.stdout)), *differences(committed, made)]
    for line in found[:SHOWN]:
        print(line)
    if len(found) > SHOWN:
        print(f"... and {len(found) - SHOWN} more")
    if found:
        print("contract.py: `make openapi` writes api/openapi.yaml anew; look at what it changes")
        return 1
    operations = sum(len(methods) for methods in made["paths"].values())
    print(f"contract.py: {len(made['paths'])} paths, {operations} operations, "
          f"{len(made['components']['schemas'])} schemas, the same in both")
    return 0


if __name__ == "__main__":
    sys.exit(main())
