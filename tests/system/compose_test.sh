#!/usr/bin/env bash
# The ring as containers learns CartPole, survives SIGKILL of every service, loses no acknowledged chunk, and drains.
# usage: compose_test.sh BUILD_FOLDER     prints times; exit 0 when everything held
set -euo pipefail
build=$(realpath "${1:?build folder}")
cd "$(dirname "$0")/../.."
# shellcheck source=tests/system/stack.sh
source tests/system/stack.sh

# Steps without end, so that the run outlives the kills; a small constant step size keeps a solved policy solved.
export ONEAGENT_EXPERIMENT=ppo-cartpole ONEAGENT_SET="stop.steps=2000000000 algorithm.lr_schedule=constant algorithm.lr=3e-4"

has_restarted() { is_running "$1" && [ "$(process_of "$1")" != "$2" ]; }

kill_and_recover() {  # SERVICE
  local container process before version from
  container=$(containers "$1" | head -n 1)
  process=$(process_of "$container")
  before=$(rate 2)
  version=$(last_value learner version)
  from=$(now_ms)
  sigkill "$container"
  await 20 "$1 runs again" has_restarted "$container" "$process"
  await 30 "learning goes on after $1 was killed" is_past learner version "$version"
  await 30 "throughput is back after $1 was killed" rate_is_back $((before / 2))
  say "killed $1: half of $before steps/s again after $(seconds_since "$from") s"
  case $1 in
    gateway) await 20 "the dashboard is back" dashboard_answers ;;
    evaluator) await 30 "evaluations go on" is_past evaluator version "$version" ;;
  esac
}

drain() {  # SERVICE: SIGTERM, exit 0 within 10 s
  local container from
  from=$(now_ms)
  for container in $(containers "$1"); do docker stop -t 20 "$container" >/dev/null & done
  wait
  for container in $(containers "$1"); do
    [ "$(docker inspect -f '{{.State.ExitCode}}' "$container")" = 0 ] || fail "$1 exited with $(docker inspect -f '{{.State.ExitCode}}' "$container") after SIGTERM"
  done
  [ $(($(now_ms) - from)) -lt 10000 ] || fail "$1 took $(seconds_since "$from") s to drain"
  say "SIGTERM $1: drained in $(seconds_since "$from") s"
}

audit() {
  compose run --rm --no-deps -T --entrypoint oneagent replay audit "/opt/oneagent/runs/$ONEAGENT_RUN" || fail "the ledger does not hold each acknowledged chunk exactly once"
}

bring_up "$build"
[ "$(docker inspect -f '{{.HostConfig.ShmSize}}' "$(containers learner)")" = 67108864 ] || fail "the test is meant to run with 64 MB of /dev/shm"
for service in actor replay redis learner evaluator gateway; do kill_and_recover "$service"; done
version=$(last_value learner version)
await 120 "CartPole is solved again after all kills" is_solved_after "$version"
say "solved after all kills"
for service in actor learner evaluator gateway replay redis; do drain "$service"; done
audit
say "passed"
