#!/usr/bin/env python3
"""Copies the headers that a user program needs to one include folder: core/torch/torch.h becomes <oneagent/torch.h>, and every header that it
reaches <oneagent/core/...>, with includes rewritten, so that -I<folder> alone is enough. A header of another project is refused.

usage: stage_headers.py SOURCE_FOLDER GENERATED_FOLDER OUTPUT_FOLDER
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^(\s*#\s*include\s+)"([^"]+)"', re.M)
SYSTEM = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.M)
PLATFORM = {"cxxabi.h", "immintrin.h"}


def main():
    sources = [pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])]
    out = pathlib.Path(sys.argv[3]) / "oneagent"
    wanted, seen = ["core/torch/torch.h"], {}
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        found = next((s / name for s in sources if (s / name).exists()), None)
        if found is None:
            sys.exit(f"stage_headers: {name} does not exist")
        text = found.read_text()
        for system in SYSTEM.findall(text):
            if ("/" in system or "." in system) and system not in PLATFORM:
                sys.exit(f"stage_headers: {name} includes <{system}>, which a user program would have to find")
        seen[name] = INCLUDE.sub(r'\1"oneagent/\2"', text)
        wanted += [included for _, included in INCLUDE.findall(text)]
    seen["torch.h"] = seen.pop("core/torch/torch.h")
    kept = set()
    for name, text in seen.items():
        path = out / name
        kept.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    for path in out.rglob("*.h"):
        if path not in kept:
            path.unlink()


if __name__ == "__main__":
    main()
