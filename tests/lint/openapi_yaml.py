#!/usr/bin/python3
"""Rewrite the OpenAPI document from JSON (standard input) to the YAML that is committed."""
import json
import sys

import yaml

HEADER = "# Made by `make openapi` from the field tables; tests/lint/contract.py compares the two.\n"


class Dumper(yaml.SafeDumper):
    """References and lists of words on one line, everything else in lines of its own."""

    def represent_dict(self, data):
        return self.represent_mapping("tag:yaml.org,2002:map", data, flow_style=list(data) == ["$ref"])

    def represent_list(self, data):
        words = bool(data) and all(isinstance(each, str) for each in data)
        return self.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=words)


Dumper.add_representer(dict, Dumper.represent_dict)
Dumper.add_representer(list, Dumper.represent_list)

sys.stdout.write(HEADER)
yaml.dump(json.load(sys.stdin), sys.stdout, Dumper, sort_keys=False, allow_unicode=True, width=100)
