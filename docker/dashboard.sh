#!/usr/bin/env bash
# Gets the npm packages that build the dashboard and drive the browser in its tests.  usage: docker/dashboard.sh
# Without npm, or where no registry answers, the checked-in build in services/dashboard/dist is used and the browser tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/../services/dashboard"
command -v npm >/dev/null || { echo "dashboard: no npm here; the checked-in build is used"; exit 0; }
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0
# Not `npm ci`: it refuses a lock file in which an optional package of another system has no entry.
if ! timeout 300 npm install --no-save --no-audit --no-fund --loglevel=error </dev/null; then
  echo "dashboard: its npm packages could not be installed; the checked-in build is used"
  rm -rf node_modules
fi
