#!/usr/bin/env bash
# Formats every C++ file with clang-format 14 (.clang-format).  usage: docker/format.sh [FILES...]
set -euo pipefail
cd "$(dirname "$0")/.."
if [ $# -gt 0 ]; then files=("$@"); else mapfile -t files < <(git ls-files '*.h' '*.cc'); fi
clang-format -i "${files[@]}"
