"""What the tests of the API look for in an answer again and again."""


def codes(answer):
    """The codes of its warnings."""
    return {warning["code"] for warning in answer["warnings"]}


def details(answer):
    """The sentences of its warnings, by code."""
    return {warning["code"]: warning["detail"] for warning in answer["warnings"]}


def warned(answer, code):
    """The sentences of its warnings of that code."""
    return [warning["detail"] for warning in answer["warnings"] if warning["code"] == code]


def given(answer, name):
    """The value of an input that it was made with."""
    return answer["inputs"][name]["value"]


def figures(answer):
    """All that does not repeat the question."""
    return {name: value for name, value in answer.items()
            if name not in ("inputs", "links", "meta", "permalink", "question", "path")}


def memory(answer):
    """The lines of the memory of a GPU, by key."""
    return {row["key"]: row["value"] for row in answer["line_items"] if row["group"] == "memory"}


def ruled_out(answer):
    """The GPU types ruled out, by slug."""
    return {row["gpu"]: row for row in answer["ruled_out"]}


def last(value):
    """A key to sort by that puts what is unknown last."""
    return (value is None, value)
