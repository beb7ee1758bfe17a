#!/usr/bin/env bash
# Checks names and a few dangerous uses with clang-tidy (.clang-tidy).  usage: [BUILD=FOLDER] docker/tidy.sh [SOURCES...]
# Needs a configured build folder (docker/build.sh program); without arguments it takes minutes.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
command -v clang-tidy >/dev/null || { echo "tidy.sh: install clang-tidy" >&2; exit 1; }
[ -f "$build/compile_commands.json" ] || { echo "tidy.sh: run docker/build.sh program first" >&2; exit 1; }
if [ $# -gt 0 ]; then sources=("$@"); else mapfile -t sources < <(git ls-files 'core/*.cc' 'envs/*.cc' 'algorithms/*.cc' 'services/*.cc'); fi
printf '%s\n' "${sources[@]}" | xargs -P 2 -n 4 clang-tidy -p "$build" --quiet
