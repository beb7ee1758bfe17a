#!/usr/bin/env bash
# Builds everything and runs the tests; installs the Debian packages that are missing first.
# usage: docker/test.sh [CTEST ARGUMENTS...]    e.g. docker/test.sh -R envs, docker/test.sh -LE compose
# Without arguments the tests labelled `slow` (docker/test.sh -L slow) and `gpu` (tests/gpu.sh) are left out.
set -euo pipefail
cd "$(dirname "$0")/.."
source docker/phase.sh

[ $# -gt 0 ] || set -- -LE '^(slow|gpu)$'

phase install docker/install.sh test compose
phase dashboard docker/dashboard.sh
phase build docker/build.sh all
status=0
phase test ctest --test-dir build -j2 --output-on-failure --no-tests=error "$@" </dev/null || status=$?
ccache --show-stats 2>/dev/null | grep -E '^ *(Hits|Misses):' | head -n 2 || true
phase_total
exit "$status"
