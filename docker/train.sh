#!/usr/bin/env bash
# Trains a path-planning policy on the MovingAI map random-64-64-20, judges it beside its baselines, and leaves the dashboard open.
# usage: docker/train.sh [PRESET OR FILE] [OPTIONS OF oneagent train...]     e.g. docker/train.sh ppo-cartpole --set stop.steps=50000
# Installs the Debian packages that are missing, and builds, first. Ctrl-C saves a checkpoint and says how to resume.
set -euo pipefail
cd "$(dirname "$0")/.."
source docker/phase.sh

file=ppo-grid
case ${1:-} in
  "" | -*) ;;
  *) file=$1; shift ;;
esac
[ -f "$file" ] || file=algorithms/presets/$file.toml

phase install docker/install.sh build
phase build docker/build.sh program
exec build/oneagent train "$file" --dashboard "$@"
