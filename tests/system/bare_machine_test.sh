#!/usr/bin/env bash
# docker/build.sh where neither Node nor a build folder exists: it configures with the checked-in dashboard.
set -euo pipefail
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for command in bash dirname sed grep env; do ln -s "$(command -v $command)" "$scratch/$command"; done
printf '#!%s\necho "$*" >>"%s/calls"\n' "$(command -v bash)" "$scratch" >"$scratch/cmake"
chmod +x "$scratch/cmake"
PATH=$scratch docker/build.sh program "$scratch/build" || { echo "build.sh failed without node: status $?"; exit 1; }
grep -q -- '-DOA_DASHBOARD=checked-in' "$scratch/calls" || { echo "expected the checked-in dashboard; cmake was called with:"; cat "$scratch/calls"; exit 1; }
grep -q -- '--target oneagent' "$scratch/calls" || { echo "nothing was built; cmake was called with:"; cat "$scratch/calls"; exit 1; }
