#!/usr/bin/python3
"""Rewrite the OpenAPI document from JSON (standard input) to the YAML that is committed."""
import json
import sys

import yaml

HEADER = "# Made by `make openapi` from the field tables; tests/lint/contract.py compares the two.\n"

sys.stdout.write(HEADER)
yaml.safe_dump(json.load(sys.stdin), sys.stdout, sort_keys=False, allow_unicode=True, width=100)
