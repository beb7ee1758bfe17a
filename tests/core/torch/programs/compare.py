#!/usr/bin/env python3
"""Runs programs in an empty folder and compares what they print with a golden file: text must be equal, numbers to 4 digits.

usage: compare.py GOLDEN PROGRAM [PROGRAM...]
"""
import pathlib
import re
import subprocess
import sys
import tempfile

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|nan|inf)")


def differences(wanted, got, tolerance=2e-4):
    wanted_lines, got_lines = wanted.splitlines(), got.splitlines()
    for n, (a, b) in enumerate(zip(wanted_lines, got_lines), 1):
        if NUMBER.sub("#", a).split() != NUMBER.sub("#", b).split():
            yield f"line {n}: expected {a!r}, was {b!r}"
            continue
        for x, y in zip(map(float, NUMBER.findall(a)), map(float, NUMBER.findall(b))):
            if x != y and not (x != x and y != y) and not abs(x - y) <= tolerance * max(1.0, abs(x)):
                yield f"line {n}: expected {x}, was {y} in {b!r}"
    if len(wanted_lines) != len(got_lines):
        yield f"expected {len(wanted_lines)} lines, was {len(got_lines)}"


def main():
    golden = pathlib.Path(sys.argv[1]).read_text()
    failed = False
    for program in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([str(pathlib.Path(program).resolve())], cwd=folder, capture_output=True, text=True, timeout=280)
        found = list(differences(golden, run.stdout))
        if run.returncode != 0:
            found.insert(0, f"exit code {run.returncode}: {run.stderr.strip()[-500:]}")
        for line in found[:20]:
            print(f"{pathlib.Path(program).name}: {line}")
        failed = failed or bool(found)
    sys.exit(failed)


if __name__ == "__main__":
    main()
