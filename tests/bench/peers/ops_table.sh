#!/usr/bin/env bash
# Compares every op with Debian's libtorch 1.13 on one thread and writes docs/ops-table.md, worst first.
# usage: BUILD=FOLDER ops_table.sh [TURNS [FAMILY...]]      (a family: see ops_table.cc; then no table is written)
# One source, ops_table*.cc, is compiled twice; the two programs take turns (A B A B) family by family, and each row's least
# processor time counts. BUILD (default build) holds liboneagent.so. Rows that are given in $SCRATCH/*.txt already count, too.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=${BUILD:-build}
source tests/bench/peers/blas.sh
turns=${1:-2}
shift || true
scratch=${SCRATCH:-$build/ops_table}
mkdir -p "$scratch/libtorch" "$scratch/ours"
families=("$@")
[ $# -gt 0 ] || mapfile -t families < <(grep -o '{"[a-z_]*", ' tests/bench/peers/ops_table.cc | tr -d '{", ')

compile() {  # FOLDER FLAGS...
  local folder=$1 source object
  shift
  for source in tests/bench/peers/ops_table*.cc; do
    object=$scratch/$folder/$(basename "$source" .cc).o
    [ "$object" -nt "$source" ] && [ "$object" -nt tests/bench/peers/ops_table.h ] && continue
    echo "g++ -std=c++20 -O1 -w -I. $* -c $source -o $object"
  done | xargs -r -P 2 -d '\n' -n 1 sh -c
}
compile libtorch -I/usr/include/torch/csrc/api/include
g++ -o "$scratch/table_libtorch" "$scratch"/libtorch/*.o -ltorch -ltorch_cpu -lc10
compile ours -DONEAGENT -march=x86-64-v3 "-I$build/generated"
g++ -o "$scratch/table_ours" "$scratch"/ours/*.o ${OURS_LIBS:-"-L$build" -loneagent "-Wl,-rpath,$(realpath "$build")" -lfmt}

for ((turn = 1; turn <= turns; ++turn)); do
  for family in "${families[@]}"; do
    for side in libtorch ours; do
      "$scratch/table_$side" --family "$family" >"$scratch/$side-$family-$turn-$$.txt" 2>"$scratch/$side.err" || tail -n 3 "$scratch/$side.err"
    done
  done
done
[ $# -gt 0 ] || table=docs/ops-table.md
machine="$(date -u +%F), $(nproc) x $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), load $(cut -d' ' -f1 /proc/loadavg)"
python3 tests/bench/peers/ops_table.py "$scratch" "$machine" ${table:+"$table"}
