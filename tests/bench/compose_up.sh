#!/usr/bin/env bash
# How long `docker compose up` takes to CartPole at 475, with the image built.  usage: compose_up.sh BUILD_FOLDER
set -euo pipefail
build=$(realpath "${1:?build folder}")
cd "$(dirname "$0")/../.."
# shellcheck source=tests/system/stack.sh
source tests/system/stack.sh
bring_up "$build"
