#!/usr/bin/env bash
# Re-runs rows of docs/benchmarks.md.  usage: tests/bench/run.sh ROW... | all | list
# Peers: SB3=FOLDER, GYM=FOLDER and CLEANRL=FOLDER hold the sources of Stable-Baselines3 2.3.2, Gymnasium 0.29.1 and CleanRL; without them their columns are left out,
# and the run says so. SEEDS="1 2 3 4 5" chooses seeds, BUILD=FOLDER takes programs that are built already. Machines are shared: ours and the peer alternate in one run, and CPU-seconds count.
set -euo pipefail
cd "$(dirname "$0")/../.."
seeds=${SEEDS:-1 2 3 4 5}
build=${BUILD:-build}
TIMEFORMAT='%R %U %S'

program() {
  [ -z "${BUILD:-}" ] || return 0
  docker/install.sh build
  docker/build.sh program >/dev/null
}
bench_programs() {
  [ -z "${BUILD:-}" ] || return 0
  docker/install.sh build
  dpkg-query -W libbenchmark-dev >/dev/null 2>&1 || docker/install.sh test
  docker/build.sh all >/dev/null
}
machine() { echo "$(date -u +%F), $(nproc) x $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), load $(cut -d' ' -f1 /proc/loadavg), commit $(git rev-parse --short HEAD)"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# timed COMMAND...: its output goes to $scratch/out; prints "wall user system".
timed() { { time "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>&1 || { tail -n 20 "$scratch/err" >&2; return 1; }; }
cpu_of() { awk '{ printf "%.2f", $2 + $3 }' <<<"$1"; }
last_json() { grep '^{' "$scratch/out" | tail -n 1; }

interleaved() { "$1" --benchmark_enable_random_interleaving=true --benchmark_repetitions=9 --benchmark_min_time=0.3 --benchmark_report_aggregates_only=true "${@:2}" | grep -E '_median|Benchmark'; }

row_env_cartpole() {
  bench_programs
  interleaved "$build/env_batch_bench" --benchmark_filter=cartpole
}

ours_cartpole() {  # SEED: solve time, then the whole run
  local first whole
  first=$(timed "$build/oneagent" train ppo-cartpole --json --no-final-eval --set run.seed="$1" --set run.folder="$scratch/runs" --set stop.eval_return=475)
  whole=$(timed "$build/oneagent" train ppo-cartpole --json --set run.seed="$1" --set run.folder="$scratch/runs")
  local cpu alone
  cpu=$(cpu_of "$whole")
  alone=$(timed "$build/oneagent" train ppo-cartpole --json --no-final-eval --set evaluator.every=100000 --set run.seed="$1" --set run.folder="$scratch/runs")
  echo "ours seed $1: training alone, whole process: $(awk -v c="$(cpu_of "$alone")" 'BEGIN { printf "%.2f CPU-s, %.0f steps per CPU-s", c, 100000 / c }')"
  echo "ours seed $1: first evaluation at 475 after $(cpu_of "$first") CPU-s (whole process); 100 k steps: $cpu CPU-s, $(awk -v c="$cpu" 'BEGIN { printf "%.0f", 100000 / c }') steps per CPU-s with evaluations; last line $(last_json)"
}

row_ppo_cartpole() {
  program
  local seed
  for seed in $seeds; do
    ours_cartpole "$seed"
    if [ -n "${SB3:-}" ] && [ -n "${GYM:-}" ]; then
      echo "peer seed $seed: $(tests/bench/peers/sb3_ppo_cartpole.sh "$seed")"
    else
      echo "peer: left out, SB3 and GYM name no folders"
    fi
  done
}

# CleanRL's settings: 128 steps, 4 epochs, 4 minibatches of 256 rows, its rates and coefficients.
row_ppo_cleanrl() {
  program
  local seed clock cpu
  for seed in $seeds; do
    clock=$(timed "$build/oneagent" train ppo-cartpole --json --no-final-eval --set evaluator.every=100000 --set algorithm.steps=128 --set algorithm.epochs=4 \
      --set algorithm.gamma=0.99 --set algorithm.lambda=0.95 --set algorithm.lr=2.5e-4 --set algorithm.clip_schedule=constant --set algorithm.value_clip=0.2 \
      --set algorithm.entropy_coef=0.01 --set stop.steps=500000 --set run.seed="$seed" --set run.folder="$scratch/runs")
    cpu=$(cpu_of "$clock")
    echo "ours seed $seed: 500 k steps: $cpu CPU-s, $(awk -v c="$cpu" 'BEGIN { printf "%.0f", 500000 / c }') steps per CPU-s, whole process"
    if [ -n "${CLEANRL:-}" ] && [ -n "${GYM:-}" ]; then
      echo "peer seed $seed: $(tests/bench/peers/cleanrl_ppo_cartpole.sh "$seed")"
    else
      echo "peer: left out, CLEANRL and GYM name no folders"
    fi
  done
}

row_wire() {
  bench_programs
  "$build/replay_wire_bench"
}

row_stream() {
  bench_programs
  "$build/stream_bench"
}

row_engine() {
  bench_programs
  interleaved "$build/engine_bench"
  interleaved "$build/training_bench"
}

row_libtorch() {
  bench_programs
  GEMM=1 MEMORY=1000 BUILD=$build tests/bench/peers/libtorch_micro.sh
}

row_graph() {
  bench_programs
  interleaved "$build/graph_bench"
}

row_mesh() {
  bench_programs
  for _ in 1 2 3; do "$build/mesh_bench"; done
  "$build/table_bench"
}

row_comm() {
  bench_programs
  "$build/comm_bench" --benchmark_enable_random_interleaving=true --benchmark_report_aggregates_only=true | grep -E '_median|_least|Benchmark'
}

row_runtime() {
  bench_programs
  local first=()
  if chrt -f 10 true 2>/dev/null; then first=(chrt -f 10); fi  # so that other programs leave it both cores for the second it takes
  "${first[@]}" "$build/segment_bench" --benchmark_enable_random_interleaving=true --benchmark_repetitions=5 --benchmark_min_time=0.02 | grep -E '_median|Benchmark'
}

row_envs() {
  bench_programs
  interleaved "$build/env_steps_bench"
}

row_store() {
  bench_programs
  "$build/store_bench" --benchmark_min_time=0.3
}

# One training run of a grid preset, with its held-out evaluation and baselines.
grid() {
  program
  local clock
  clock=$(timed "$build/oneagent" train "$1" --json --set run.folder="$scratch/runs" --set run.seed="${seeds%% *}")
  echo "$1: wall $(cut -d' ' -f1 <<<"$clock") s, $(cpu_of "$clock") CPU-s"
  last_json
}
row_grid() { grid ppo-grid; }
row_grid_arena() { grid ppo-grid-arena; }
row_grid_den312d() { grid ppo-grid-den312d; }

row_compose_up() {
  program
  tests/bench/compose_up.sh "$build"
}

row_build() {
  docker/install.sh build
  local clock
  clock=$(CCACHE_DISABLE=1 timed docker/build.sh program "$scratch/build")
  echo "clean build of program and library: wall $(cut -d' ' -f1 <<<"$clock") s, $(cpu_of "$clock") CPU-s"
}

row_ci() {
  git clone -q . "$scratch/clone"
  CCACHE_DIR=$scratch/ccache "$scratch/clone/.ci/run" | grep -E '^== .* s$|tests passed|tests failed'
}

rows=(env_cartpole envs ppo_cartpole ppo_cleanrl engine libtorch graph mesh runtime wire stream comm store grid grid_arena grid_den312d compose_up build ci)
case ${1:-} in
  "" ) sed -n '2,5p' "$0"; exit 2 ;;
  list) printf '%s\n' "${rows[@]//_/-}"; exit ;;
  all) set -- "${rows[@]}" ;;
esac
for row in "$@"; do
  row=${row//-/_}
  [[ " ${rows[*]} " == *" $row "* ]] || { echo "run.sh: unknown row '$row'; rows are ${rows[*]//_/-}" >&2; exit 2; }
  echo "== ${row//_/-} ($(machine))"
  "row_$row"
done
