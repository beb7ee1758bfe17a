#!/usr/bin/env bash
# Builds and runs the tests that need a GPU, in under 8 minutes.  usage: tests/gpu.sh [BUILD_FOLDER]
# Needs nvcc and a driver, and the packages of docker/install.sh build test (which it does not install).
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build-gpu}
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DOA_CUDA=ON -DOA_BENCH=OFF -DOA_DASHBOARD=checked-in >/dev/null
cmake --build "$build" -j"$(nproc)" --target test_gpu
exec ctest --test-dir "$build" -L '^gpu$' --output-on-failure --no-tests=error
