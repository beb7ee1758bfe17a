#!/usr/bin/env bash
# compose.yaml is valid for the compose of this machine; the ranks of the learner are there in the profile "parallel" alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
if docker compose version >/dev/null 2>&1; then compose=(docker compose); elif command -v docker-compose >/dev/null; then compose=(docker-compose); else echo "no compose on this machine"; exit 77; fi
fail() { echo "FAILED: $*"; exit 1; }
plain=$("${compose[@]}" config --services)
parallel=$(ONEAGENT_RANKS=3 "${compose[@]}" --profile parallel config --services)
grep -qx learner <<<"$plain" || fail "the ring has no learner: $plain"
grep -qx rank <<<"$parallel" || fail "profile parallel has no rank: $parallel"
if grep -qx rank <<<"$plain" && ! grep -q 'profiles: \[parallel\]' compose.yaml; then fail "ranks start without the profile"; fi
config=$(ONEAGENT_RANKS=3 ONEAGENT_SET="learner.parallel.data=4" "${compose[@]}" --profile parallel config)
grep -q 'replicas: 3' <<<"$config" || fail "ONEAGENT_RANKS does not set the number of ranks"
grep -q 'learner.parallel.data=4' <<<"$config" || fail "ONEAGENT_SET does not reach the services"
grep -q '| rank |' docker/entrypoint.sh || fail "the image's entrypoint does not know rank"
