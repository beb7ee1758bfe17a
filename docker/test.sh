#!/usr/bin/env bash
# Builds everything and runs the tests; installs the Debian packages that are missing first.
# usage: docker/test.sh [CTEST ARGUMENTS...]    e.g. docker/test.sh -R envs, docker/test.sh -LE compose
# Tests labelled `slow` are left out; run them with: ctest --test-dir build -L slow
set -euo pipefail
cd "$(dirname "$0")/.."
source docker/phase.sh

run_tests() { ctest --test-dir build -j2 --output-on-failure --no-tests=error -LE '^slow$' "$@" </dev/null; }

phase install docker/install.sh test compose
phase dashboard docker/dashboard.sh
phase build docker/build.sh all
status=0
phase test run_tests "$@" || status=$?
ccache --show-stats 2>/dev/null | grep -E '^ *(Hits|Misses):' | head -n 2 || true
phase_total
exit "$status"
