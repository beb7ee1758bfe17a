#!/usr/bin/env bash
# Lays out what an image holds: the program and the files it reads, at the places they have in the source tree.
# usage: docker/stage.sh BUILD_FOLDER TARGET_FOLDER
set -euo pipefail
build=$(realpath "${1:?build folder}")
target=${2:?target folder}
mkdir -p "$target/build"
target=$(realpath "$target")
cd "$(dirname "$0")/.."
[ -x "$build/oneagent" ] || { echo "stage.sh: $build/oneagent is missing; run docker/build.sh program" >&2; exit 1; }

strip -o "$target/build/oneagent" "$build/oneagent"
for library in "$build"/liboneagent.so*; do
  if [ -L "$library" ]; then cp -P "$library" "$target/build/"; else strip -o "$target/build/${library##*/}" "$library"; fi
done
cp --parents -r docker/entrypoint.sh docker/install.sh algorithms/presets tests/data/movingai LICENSE "$target/"
