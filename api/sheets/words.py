"""words.py - what people call inputs, figures and choices: the labels of api/openapi.yaml and the page's phrases."""
import pathlib
import re

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]

ACRONYMS = {word.lower(): word for word in "GPU GPUs kWh kW GB GiB PUE KV FLOP FLOPs MFU IT PCIe USD VAT API".split()}


def spelt(name):
    """peak_to_average_ratio: Peak to average ratio."""
    words = " ".join(ACRONYMS.get(word, word) for word in name.split("_"))
    return words[:1].upper() + words[1:]


def phrases(block):
    """One of the maps in static/phrases.js."""
    text = (ROOT / "static/phrases.js").read_text()
    body = re.search(rf"^  {block}: {{\n(.*?)^  }},", text, re.S | re.M)[1]
    return {(quoted or plain): phrase for quoted, plain, phrase in
            re.findall(r"(?:'([^']+)'|\b(\w+)): '([^']*)'", body)}


class Contract:
    """What api/openapi.yaml says of inputs and figures."""

    def __init__(self):
        document = yaml.load((ROOT / "api/openapi.yaml").read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        self.schemas = document["components"]["schemas"]
        self.values, self.lines = phrases("value"), phrases("line")

    def properties(self, schema):
        """training_plan is TrainingPlan there."""
        named = self.schemas["".join(word.capitalize() for word in schema.split("_"))]["properties"]
        return {name: self.schemas[field["$ref"].rpartition("/")[2]] if "$ref" in field else field
                for name, field in named.items()}

    def label(self, schema, name):
        return self.properties(schema)[name].get("x-label", spelt(name))

    def choice(self, word, of=""):
        """What people call a value that an input or a figure can have, or a line of a ledger."""
        return self.values.get(f"{of}.{word}") or self.values.get(word) or self.lines.get(word) or spelt(word)

    def readable(self, sentence, schema):
        """A description without the names that programs use."""
        known = self.properties(schema)
        words = re.sub(r"\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b",
                       lambda match: f"“{known[match[0]]['x-label']}”" if "x-label" in known.get(match[0], {})
                       else match[0].replace("_", " "), sentence)
        return words[:1].upper() + words[1:]
