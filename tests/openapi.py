"""What every reader of the contract needs: its references followed."""
import re


def pointed_to(document, reference):
    """What a local reference points to; KeyError where nothing is there."""
    node = document
    for part in reference.removeprefix("#/").split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def inlined(document, node=None):
    """The document with what each $ref points to in its place."""
    node = document if node is None else node
    if isinstance(node, dict):
        if "$ref" in node:
            return inlined(document, pointed_to(document, node["$ref"]))
        return {key: inlined(document, value) for key, value in node.items()}
    if isinstance(node, list):
        return [inlined(document, each) for each in node]
    return node


def labels_of(document, name):
    """What people read in place of the name: one label, or those of the several fields of that name."""
    schemas = document["components"]["schemas"]
    return {each["x-label"] for key, each in schemas.items()
            if "x-label" in each and re.fullmatch(rf"(\w+_)?{name}(_input)?", key)}
