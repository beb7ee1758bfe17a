#!/usr/bin/env bash
# The ring as containers learns CartPole, survives SIGKILL of every service, loses no acknowledged chunk, drains and goes on.
# usage: compose_test.sh BUILD_FOLDER [RANDOM_KILLS]     prints times; exit 0 when everything held
set -euo pipefail
build=$(realpath "${1:?build folder}")
random_kills=${2:-0}
cd "$(dirname "$0")/../.."
# shellcheck source=tests/system/stack.sh
source tests/system/stack.sh

# Steps without end, so that the run outlives the kills; a small constant step size keeps a solved policy solved.
export ONEAGENT_EXPERIMENT=ppo-cartpole ONEAGENT_SET="stop.steps=2000000000 algorithm.lr_schedule=constant algorithm.lr=3e-4"
services=(actor replay redis learner evaluator gateway)

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

# One after the other without waiting for recovery; a service that is just starting may be hit again.
kill_at_random() {
  local service container
  RANDOM=7
  for _ in $(seq "$random_kills"); do
    service=${services[RANDOM % ${#services[@]}]}
    container=$(containers "$service" | shuf -n 1 --random-source=<(yes "$RANDOM"))
    if is_running "$container"; then sigkill "$container"; fi
    sleep "$((RANDOM % 4)).$((RANDOM % 10))"
  done
  say "$random_kills random kills"
}

still_solves() {
  local version
  version=$(last_value learner version)
  await 120 "CartPole is solved again after all kills" is_solved_after "$version"
  say "solved after all kills"
}

drain() {  # SERVICE...: SIGTERM to all of them at once, each exits 0 within 10 s
  local all container from drained
  mapfile -t all < <(for service in "$@"; do containers "$service"; done)
  from=$(now_ms)
  for container in "${all[@]}"; do docker stop -t 20 "$container" >/dev/null & done
  wait
  drained=$(seconds_since "$from")
  for container in "${all[@]}"; do
    [ "$(docker inspect -f '{{.State.ExitCode}}' "$container")" = 0 ] || fail "$(docker inspect -f '{{.Name}} exited with {{.State.ExitCode}} after SIGTERM' "$container")"
  done
  awk -v s="$drained" 'BEGIN { exit s >= 10 }' || fail "$* took $drained s to drain"
  say "SIGTERM: $* drained in $drained s"
}

goes_on_after_a_stop() {
  local version from
  version=$(last_value learner version)
  from=$(now_ms)
  compose up -d >/dev/null
  await 60 "the run goes on after a stop" is_past learner version "$version"
  say "stopped and started again: past version $version after $(seconds_since "$from") s"
}

audit() {
  compose run --rm --no-deps -T --entrypoint oneagent replay audit "/opt/oneagent/runs/$ONEAGENT_RUN" || fail "an acknowledged chunk is not in the ledger"
}

bring_up "$build"
[ "$(docker inspect -f '{{.HostConfig.ShmSize}}' "$(containers learner)")" = 67108864 ] || fail "the test is meant to run with 64 MB of /dev/shm"
for service in "${services[@]}"; do kill_and_recover "$service"; done
kill_at_random
still_solves
drain actor learner evaluator gateway replay
drain redis
goes_on_after_a_stop
drain actor learner evaluator gateway replay
audit
say "passed"
