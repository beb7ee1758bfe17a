#!/usr/bin/env bash
# Builds with a sanitizer in a folder of its own and runs the named test programs; without names, everything that gains from it.
# usage: sanitized_test.sh address|thread BUILD_FOLDER [PROGRAM...]
set -euo pipefail
kind=$1 build=$2
shift 2
cd "$(dirname "$0")/../.."
threaded=(test_core_strand test_core_comm test_core_net test_core_service test_services)
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1:die_after_fork=0:suppressions=$PWD/tests/system/thread_suppressions.txt"

cmake -S . -B "$build" -G Ninja -DOA_SANITIZE="$kind" -DOA_TESTS=ON -DOA_BENCH=OFF -DOA_DASHBOARD=checked-in >/dev/null
targets=("$@")
[ $# -gt 0 ] || [ "$kind" = address ] || targets=("${threaded[@]}")
cmake --build "$build" -j2 ${targets:+--target "${targets[@]}"} >"$build/build.log" || { tail -n 30 "$build/build.log"; exit 1; }
if [ $# -eq 0 ] && [ "$kind" = address ]; then
  exec ctest --test-dir "$build" --output-on-failure --no-tests=error -LE '^(compose|gpu|style|dashboard)$'
fi
for program in "${targets[@]}"; do
  echo "== $program with -fsanitize=$kind"
  "$build/$program" --gtest_brief=1
done
