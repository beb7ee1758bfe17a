#!/usr/bin/env bash
# ppo-cartpole on two ranks of each kind, split by rows, by parameters and by layers, and on 2 x 2 x 2, reaches 475 like one rank does.
# usage: mesh_training_test.sh BUILD_FOLDER     a line for each run: mesh, kind, final return, seconds
set -euo pipefail
build=$(realpath "${1:?build folder}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
train() {  # NAME SETTING...
  local name=$1 from result return
  shift
  from=$(date +%s%3N)
  result=$("$build/oneagent" --log error train ppo-cartpole --json --set "run.folder=$scratch" --set "run.name=$name" "$@" | tail -n 1)
  return=$(jq -r .eval_return <<<"$result")
  awk -v n="$name" -v r="$return" -v ms=$(($(date +%s%3N) - from)) 'BEGIN { printf "%-20s return %6.1f  %6.1f s\n", n, r, ms / 1000 }'
  awk -v r="$return" 'BEGIN { exit !(r >= 475) }' || failed=1
}
train alone
for kind in threads processes; do
  for mesh in data tensor pipeline; do train "$mesh-2-$kind" --set "learner.parallel.$mesh=2" --set "learner.parallel.kind=$kind"; done
  train "2x2x2-$kind" --set learner.parallel.data=2 --set learner.parallel.tensor=2 --set learner.parallel.pipeline=2 --set "learner.parallel.kind=$kind"
done
[ "$failed" = 0 ] || { echo "FAILED: a run ended below 475"; exit 1; }
