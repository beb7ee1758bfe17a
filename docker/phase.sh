# shellcheck shell=bash
# Sourced: phase NAME COMMAND... runs the command and prints how long it took; phase_total prints the sum.
phase_start=$(date +%s%N)

phase_seconds() { local tenths=$((($(date +%s%N) - $1) / 100000000)); echo "$((tenths / 10)).$((tenths % 10))"; }

phase() {
  local name=$1 start status=0
  shift
  start=$(date +%s%N)
  echo "== $name"
  "$@" || status=$?
  if [ "$status" = 0 ]; then
    echo "== $name: $(phase_seconds "$start") s"
  else
    echo "== $name: failed with status $status after $(phase_seconds "$start") s" >&2
  fi
  return "$status"
}

phase_total() { echo "== total: $(phase_seconds "$phase_start") s"; }
