#!/usr/bin/env bash
# Configures (once) and builds Release.  usage: docker/build.sh program|all [FOLDER]
# `program` builds build/oneagent and build/liboneagent.so; `all` also builds tests and benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:?program or all}
folder=${2:-build}

cache=$folder/CMakeCache.txt
generator=()
[ -f "$cache" ] || generator=(-G Ninja)
case $what in
  program)
    [ -f "$cache" ] || cmake -S . -B "$folder" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DOA_TESTS=OFF -DOA_BENCH=OFF >/dev/null
    cmake --build "$folder" -j2 --target oneagent ;;
  all)
    if [ ! -f "$cache" ] || grep -qE '^OA_(TESTS|BENCH):BOOL=OFF' "$cache"; then
      cmake -S . -B "$folder" "${generator[@]}" -DCMAKE_BUILD_TYPE=Release -DOA_TESTS=ON -DOA_BENCH=ON >/dev/null
    fi
    cmake --build "$folder" -j2 ;;
  *) echo "build.sh: expected program or all, was '$what'" >&2; exit 2 ;;
esac
