# shellcheck shell=bash
# Sourced by compose tests: one stack of its own name, its run folder as seen from the host, clocks and conditions.
project=oneagent-test-$$
export ONEAGENT_RUN=test ONEAGENT_PORT=0 COMPOSE_PROJECT_NAME=$project COMPOSE_HTTP_TIMEOUT=120

compose() {
  if docker compose version >/dev/null 2>&1; then docker compose "$@"; else docker-compose "$@" 2> >(grep -vE '(Creating|Stopping|Removing|Starting|Killing) ' >&2); fi
}

say() { printf '[%6.1f s] %s\n' "$(seconds_since "$test_started")" "$*"; }
fail() { say "FAILED: $*"; exit 1; }

now_ms() { date +%s%3N; }
seconds_since() { awk -v from="$1" -v to="$(now_ms)" 'BEGIN { printf "%.1f", (to - from) / 1000 }'; }
test_started=$(now_ms)

# await SECONDS WHAT COMMAND...: polls five times a second; sets `waited`.
await() {
  local limit=$1 what=$2 from
  shift 2
  from=$(now_ms)
  until "$@"; do
    [ $(($(now_ms) - from)) -lt $((limit * 1000)) ] || fail "$what: not within $limit s"
    sleep 0.2
  done
  waited=$(seconds_since "$from")
}

run_folder() { echo "$(docker volume inspect -f '{{.Mountpoint}}' "${project}_runs")/$ONEAGENT_RUN"; }
containers() { compose ps -q "$1"; }
process_of() { docker inspect -f '{{.State.Pid}}' "$1"; }
is_running() { [ "$(docker inspect -f '{{.State.Running}}' "$1")" = true ]; }
gateway_url() { echo "http://127.0.0.1:$(compose port gateway 8080 | sed 's/.*://')"; }
dashboard_answers() { curl -fsS -m 2 "$(gateway_url)/api/health" >/dev/null 2>&1 && curl -fsS -m 2 "$(gateway_url)/" 2>/dev/null | grep -qi '<html'; }

# last_value SERVICE KEY: of the newest whole row of its metrics, 0 without one.
last_value() {
  local value
  value=$(tail -n 2 "$(run_folder)/metrics/$1.jsonl" 2>/dev/null | jq -r --arg key "$2" '.[$key] // empty' 2>/dev/null | tail -n 1)
  echo "${value:-0}"
}
steps() { last_value learner step; }
is_past() { [ "$(last_value "$1" "$2")" -gt "$3" ]; }   # SERVICE KEY WHOLE_NUMBER
is_solved_after() {  # an evaluation of a version above $1 reached 475
  jq -e --argjson version "$1" 'select(.version > $version and .eval_return >= 475)' "$(run_folder)/metrics/evaluator.jsonl" >/dev/null 2>&1
}

rate() {  # steps per second over $1 seconds
  local from to start
  from=$(steps) start=$(now_ms)
  sleep "$1"
  to=$(steps)
  echo $(((to - from) * 1000 / ($(now_ms) - start)))
}
rate_is_back() { [ "$(rate 1)" -ge "$1" ]; }

# SIGKILL from outside, as the kernel would: `docker kill` would keep the engine from restarting it.
sigkill() { kill -KILL "$(process_of "$1")"; }

take_down() {
  local status=$?
  if [ "$status" != 0 ]; then compose logs --tail=12 2>&1 | tail -n 90; fi
  compose down -v -t 5 >/dev/null 2>&1 || true
  docker/engine.sh stop
  exit "$status"
}

# bring_up BUILD_FOLDER: image of that tree, the stack, and three clocks from `up` on. The stack goes when the script ends.
bring_up() {
  local up_started
  docker/engine.sh start
  trap take_down EXIT
  docker/image.sh "$1" >/dev/null
  say "engine and image are ready"
  up_started=$(now_ms)
  compose up -d >/dev/null
  await 60 "a trained version" is_past learner version 1
  say "up -> first trained version: $(seconds_since "$up_started") s"
  await 60 "a dashboard answer" dashboard_answers
  say "up -> dashboard answers: $(seconds_since "$up_started") s"
  await 90 "an evaluation of 475" is_solved_after 0
  say "up -> CartPole at 475: $(seconds_since "$up_started") s"
}
