#!/usr/bin/env bash
# Whole eager calls and training steps beside Debian's libtorch 1.13, one thread each, in turns (A B A B): checks that the losses agree,
# then prints least CPU and wall microseconds of a call, and with MEMORY=STEPS resident sizes. Products: gemm_peers beside OpenBLAS,
# oneDNN and libxsmm.
# usage: tests/bench/peers/libtorch_micro.sh [CASE...]      needs libtorch-dev; GEMM=1: libdnnl-dev, libxsmm-dev
# BUILD=FOLDER (build) holds liboneagent.so and generated/; SECONDS_EACH=1, ROUNDS=3.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# Fresh pages are dear on shared machines; both sides keep theirs.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296
source tests/bench/peers/blas.sh

peers=tests/bench/peers
ours=(g++ -std=c++20 -O2 -march=native -I. -I"$build/generated")
library=(-L"$build" -loneagent -Wl,-rpath,"$(realpath "$build")")
g++ -std=c++17 -O2 -march=native -I/usr/include/torch/csrc/api/include "$peers/libtorch_micro.cc" -o "$scratch/libtorch" -ltorch -ltorch_cpu -lc10
"${ours[@]}" -DONEAGENT "$peers/libtorch_micro.cc" -o "$scratch/ours" ${LINK:-"${library[@]}"}

"$scratch/ours" losses 20 >"$scratch/ours.losses"
"$scratch/libtorch" losses 20 >"$scratch/libtorch.losses"
paste -d' ' "$scratch/ours.losses" "$scratch/libtorch.losses" | awk '
  { for (i = 2; i <= NF / 2; ++i) { d = $i - $(i + NF / 2); if (d < 0) d = -d; if (d > worst) worst = d; if (d > 1e-3 * $i) bad = bad " " $1 ":" i - 1 } }
  END { if (bad) { print "losses differ:" bad; exit 1 } printf "losses of 20 steps agree, largest difference %.1e\n", worst }'

for round in $(seq "${ROUNDS:-3}"); do
  for side in ours libtorch; do
    "$scratch/$side" time "${SECONDS_EACH:-1}" "$@" | sed "s/^/$side /" >>"$scratch/times"
  done
done
echo "$(date -u +%F), $(nproc --all) x $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), load $(cut -d' ' -f1 /proc/loadavg), commit $(git rev-parse --short HEAD)"
awk '
  { key = $2; if (!(key in seen)) { seen[key] = 1; order[++n] = key }
    if (!(($1, key) in cpu) || $3 < cpu[$1, key]) cpu[$1, key] = $3
    if (!(($1, key) in wall) || $4 < wall[$1, key]) wall[$1, key] = $4 }
  END {
    printf "%-26s %12s %12s %8s %12s %12s\n", "us a call", "ours CPU", "libtorch", "times", "ours wall", "libtorch"
    for (i = 1; i <= n; ++i) { k = order[i]
      printf "%-26s %12.2f %12.2f %8.2f %12.2f %12.2f\n", k, cpu["ours", k], cpu["libtorch", k], cpu["libtorch", k] / cpu["ours", k], wall["ours", k], wall["libtorch", k] } }' "$scratch/times"

if [ -n "${MEMORY:-}" ]; then
  unset GLIBC_TUNABLES
  echo "resident MB before the first step, after 50, after $MEMORY, and the peak"
  cut -d' ' -f1 "$scratch/ours.losses" | while read -r name; do
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    for side in ours libtorch; do echo "$side $("$scratch/$side" memory "$MEMORY" "$name")"; done
  done
fi

if [ -n "${GEMM:-}" ]; then
  "${ours[@]}" "$peers/gemm_peers.cc" -o "$scratch/gemm" ${LINK:-"${library[@]}"} -lopenblas -ldnnl -lxsmm -ldl
  "$scratch/gemm" "${SECONDS_EACH:-1}"
fi
