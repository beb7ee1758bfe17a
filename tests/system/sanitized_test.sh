#!/usr/bin/env bash
# Builds test programs with a sanitizer in a folder of its own and runs them.  usage: sanitized_test.sh address|thread BUILD_FOLDER PROGRAM...
set -euo pipefail
kind=$1 build=$2
shift 2
cd "$(dirname "$0")/../.."
cmake -S . -B "$build" -G Ninja -DOA_SANITIZE="$kind" -DOA_TESTS=ON -DOA_BENCH=OFF -DOA_DASHBOARD=checked-in >/dev/null
cmake --build "$build" -j2 --target "$@" >"$build/build.log" || { tail -n 30 "$build/build.log"; exit 1; }
for program in "$@"; do
  echo "== $program with -fsanitize=$kind"
  OA_TEST_SHORT=1 TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1" "$build/$program" --gtest_brief=1
done
