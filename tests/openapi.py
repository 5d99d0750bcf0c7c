"""What every reader of the contract needs: its references followed."""
import re


def pointed_to(document, reference):
    """What a local reference points to; KeyError where nothing is there."""
    node = document
    for part in reference.removeprefix("#/").split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")]
    return node


def inlined(document, node=None, known=None):
    """The document with what each $ref points to in its place: one object for all that refer to it."""
    node, known = document if node is None else node, {} if known is None else known
    if isinstance(node, dict):
        if "$ref" in node:
            reference = node["$ref"]
            if reference not in known:
                known[reference] = inlined(document, pointed_to(document, reference), known)
            return known[reference]
        return {key: inlined(document, value, known) for key, value in node.items()}
    if isinstance(node, list):
        return [inlined(document, each, known) for each in node]
    return node


def labels_of(document, name):
    """What people read in place of the name: one label, or those of the several fields of that name."""
    schemas = document["components"]["schemas"]
    return {each["x-label"] for key, each in schemas.items()
            if "x-label" in each and re.fullmatch(rf"(\w+_)?{name}(_input)?", key)}
