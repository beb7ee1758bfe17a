#!/usr/bin/env bash
# Compiles the programs against libtorch, runs them and compares with the golden outputs, which ours are compared with, too.
# usage: peer_test.sh LIBTORCH_INCLUDE
set -euo pipefail
cd "$(dirname "$0")/programs"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
for source in *.cc; do
  name=${source%.cc}
  g++ -std=c++17 -O0 -w -I"$1" "$source" -o "$folder/$name" -ltorch -ltorch_cpu -lc10
  python3 compare.py "../../../golden/programs/$name.txt" "$folder/$name" || failed=1
done
exit $failed
