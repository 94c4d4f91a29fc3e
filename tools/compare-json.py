#!/usr/bin/env python3
"""Compares two JSON files, REFERENCE and OURS: every member of REFERENCE must be in OURS with an equal value."""
import json
import sys


def differences(reference, ours, path):
    if isinstance(reference, dict) and isinstance(ours, dict):
        for key in reference:
            if key not in ours:
                yield f"{path}.{key}: missing"
            else:
                yield from differences(reference[key], ours[key], f"{path}.{key}")
    elif isinstance(reference, list) and isinstance(ours, list):
        if len(reference) != len(ours):
            yield f"{path}: {len(ours)} elements, expected {len(reference)}"
        for i, (a, b) in enumerate(zip(reference, ours)):
            yield from differences(a, b, f"{path}[{i}]")
    elif reference != ours:
        yield f"{path}: found {ours}, expected {reference}"


def main():
    with open(sys.argv[1]) as a, open(sys.argv[2]) as b:
        found = list(differences(json.load(a), json.load(b), ""))
    for line in found[:20]:
        print(line)
    if len(found) > 20:
        print(f"... and {len(found) - 20} more")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
