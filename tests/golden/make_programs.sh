#!/usr/bin/env bash
# Makes tests/golden/programs: what libtorch (libtorch-dev must be installed) prints for the programs of tests/core/torch/programs.
# usage: make_programs.sh [NAME...]
set -euo pipefail
cd "$(dirname "$0")"
sources=../core/torch/programs
mkdir -p programs
[ $# -gt 0 ] || set -- $(cd "$sources" && ls -- *.cc | sed 's/\.cc$//')
for name; do
  folder=$(mktemp -d)
  g++ -std=c++17 -O0 -w -I/usr/include/torch/csrc/api/include "$sources/$name.cc" -o "$folder/program" -ltorch -ltorch_cpu -lc10
  (cd "$folder" && ./program) > "programs/$name.txt"
  rm -rf "$folder"
done
