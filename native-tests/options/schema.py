#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright the jprof authors
"""schema.py ROOT: config/schema.json is a schema, and says what the agent says.

An independent validator takes config/default.json, every example and every default value,
and agrees with the verdicts of configs.txt. A line for each thing that is not so.
Exit: 0 all well, 1 not, 77 without the module jsonschema (Debian: python3-jsonschema).
"""
import json
import pathlib
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError as problem:
    print(f"skipped: {problem} (Debian: python3-jsonschema, 4.0 or later)")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])
problems = []


def load(path):
    return json.loads((root / path).read_text(encoding="utf-8"))


def check(name, accepted, validator, config):
    errors = [error.message for error in validator.iter_errors(config)]
    if accepted != (not errors):
        problems.append(f"{name}: {errors or 'should be refused'}")


def check_table(validator):
    table = root / "native-tests/options/configs.txt"
    rows = 0
    for number, line in enumerate(table.read_text(encoding="utf-8").split("\n"), 1):
        if line and not line.startswith("#"):
            verdict, config = line.split(maxsplit=1)
            check(f"configs.txt:{number}", verdict == "accepted", validator,
                  json.loads(config))
            rows += 1
    if rows < 100:
        problems.append(f"configs.txt: only {rows} rows")


def main():
    schema = load("config/schema.json")
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    default = load("config/default.json")
    check("default.json", True, validator, default)
    for key, rule in schema["properties"].items():
        if key != "$schema":
            check(f"default of {key}", True, validator, {key: rule["default"]})
    missing = set(schema["properties"]) - {"$schema"} ^ set(default)
    if missing:
        problems.append(f"in one of schema.json and default.json only: {missing}")
    examples = sorted((root / "config/examples").glob("*.json"))
    for example in examples:
        check(example.name, True, validator, load(example))
        if not (example.parent / load(example)["$schema"]).samefile(
                root / "config/schema.json"):
            problems.append(f"{example.name}: names another schema")
    if len(examples) < 5:
        problems.append(f"only {len(examples)} examples")
    check_table(validator)


main()
print("\n".join(problems))
sys.exit(1 if problems else 0)
