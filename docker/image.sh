#!/usr/bin/env bash
# Makes the image oneagent:latest from a tree that is built already.  usage: docker/image.sh [BUILD_FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
docker/stage.sh "${1:-build}" "$stage"
chmod -R a+rX "$stage"
docker build -q -f docker/Dockerfile --target prebuilt -t oneagent:latest "$stage"
