#!/usr/bin/env bash
# Configures (once) and builds Release.  usage: docker/build.sh program|all [FOLDER]
# `program` builds build/oneagent and build/liboneagent.so; `all` also builds tests and benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."
what=${1:?program or all}
folder=${2:-build}

cache=$folder/CMakeCache.txt
options=(-DCMAKE_BUILD_TYPE=Release)
[ -f "$cache" ] || options+=(-G Ninja)
# The dashboard's bundler needs Node 20; Debian 12 has 18.
node_version=$({ node --version 2>/dev/null || true; } | sed 's/^v\([0-9]*\).*/\1/')
[ "${node_version:-0}" -ge 20 ] || options+=(-DOA_DASHBOARD=checked-in)
case $what in
  program)
    [ -f "$cache" ] || cmake -S . -B "$folder" "${options[@]}" -DOA_TESTS=OFF -DOA_BENCH=OFF >/dev/null
    cmake --build "$folder" -j2 --target oneagent ;;
  all)
    if [ ! -f "$cache" ] || grep -qE '^OA_(TESTS|BENCH):BOOL=OFF' "$cache"; then
      cmake -S . -B "$folder" "${options[@]}" -DOA_TESTS=ON -DOA_BENCH=ON >/dev/null
    fi
    cmake --build "$folder" -j2 ;;
  *) echo "build.sh: expected program or all, was '$what'" >&2; exit 2 ;;
esac
