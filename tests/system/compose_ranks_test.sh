#!/usr/bin/env bash
# The learner as two ranks in containers learns CartPole; a rank that is killed comes back and the run goes on.
# usage: compose_ranks_test.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?build folder}")
cd "$(dirname "$0")/../.."
# shellcheck source=tests/system/stack.sh
source tests/system/stack.sh

export ONEAGENT_EXPERIMENT=ppo-cartpole ONEAGENT_RANKS=1 COMPOSE_PROFILES=parallel
export ONEAGENT_SET="stop.steps=2000000000 algorithm.lr_schedule=constant algorithm.lr=3e-4 learner.parallel.data=2 learner.parallel.kind=services learner.checkpoint_seconds=2"

bring_up "$build"
container=$(containers rank | head -n 1)
[ -n "$container" ] || fail "there is no rank"
for _ in 1 2; do
  version=$(last_value learner version)
  from=$(now_ms)
  sigkill "$container"
  await 20 "the rank runs again" is_running "$container"
  await 30 "learning goes on after the rank was killed" is_past learner version "$version"
  say "killed the rank: past version $version after $(seconds_since "$from") s"
done
version=$(last_value learner version)
sigkill "$(containers learner | head -n 1)"
await 30 "learning goes on after the learner was killed" is_past learner version "$version"
compose stop -t 20 rank learner >/dev/null
say "passed"
