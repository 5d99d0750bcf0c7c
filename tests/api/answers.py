"""What the tests of the API look for in an answer again and again."""


def codes(answer):
    """The codes of its warnings."""
    return {warning["code"] for warning in answer["warnings"]}
