#!/bin/bash
# run.sh SAMPLE_GATEWAY SOURCE_ROOT BUILD_FOLDER: the dashboard in a browser, and its checked-in build against a fresh one.
set -euo pipefail
program=$1 source=$2 build=$3
for need in node:nodejs npm:npm; do
  command -v "${need%%:*}" >/dev/null || { echo "${need%%:*} is missing: install the package ${need##*:}"; exit 1; }
done
[ -x "${OA_CHROMIUM:-/usr/bin/chromium}" ] || { echo "chromium is missing: install the Debian package chromium"; exit 1; }

mkdir -p "$build"
rm -rf "$build/src" "$build/public" "$build/tools"
(cd "$source/services/dashboard" && cp -r src public tools index.html package.json package-lock.json tsconfig.json vite.config.js "$build/")
if ! cmp -s "$build/package-lock.json" "$build/node_modules/.installed-lock" 2>/dev/null; then
  (cd "$build" && npm ci --no-audit --no-fund)
  cp "$build/package-lock.json" "$build/node_modules/.installed-lock"
fi
if node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'; then
  (cd "$build" && npm run --silent build)
  diff -r "$source/services/dashboard/dist" "$build/dist" || {
    echo "services/dashboard/dist is not what its sources build: run npm ci && npm run build in services/dashboard and commit dist"
    exit 1
  }
else
  echo "not compared with a fresh build: Vite needs node 20.19 or newer, here is $(node --version)"
fi
exec node "$source/tests/services/dashboard/dashboard_test.mjs" "$program" "$build" "$build/screenshots"
