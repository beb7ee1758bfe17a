#!/usr/bin/env bash
# Checks the model of the segments' protocol (protocol.pml) with spin, and that spin refuses its mutants.
set -euo pipefail
model=$(cd "$(dirname "$0")" && pwd)/protocol.pml
command -v spin >/dev/null || { echo "protocol_test.sh: spin is not installed; docker/install.sh test brings it" >&2; exit 1; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# verdict NAME SPIN_DEFINES PAN_ARGUMENTS: prints "sound" or "refused".
verdict() {
  local out
  rm -f pan* ./*.trail
  # shellcheck disable=SC2086
  spin $2 -a "$model" >spin.txt 2>&1 || { cat spin.txt >&2; return 1; }
  gcc -O1 -w -DVECTORSZ=512 -DMEMLIM=1024 $4 -o pan pan.c
  # shellcheck disable=SC2086
  out=$(./pan -m1000000 $3 2>&1)
  grep -q 'max search depth too small\|out of memory' <<<"$out" && { echo "$1: $out" >&2; return 1; }
  if grep -q 'errors: 0' <<<"$out"; then echo sound; else echo refused; fi
}

failed=0
expect() {  # VERDICT NAME SPIN_DEFINES PAN_ARGUMENTS COMPILER_FLAGS
  local got
  got=$(verdict "$2" "$3" "$4" "$5")
  echo "$2: $got"
  [ "$got" = "$1" ] || { echo "$2: expected $1" >&2; failed=1; }
}

for places in 1 2; do
  expect sound "safety and end states, $places places" "-DPLACES=$places -DTOKENS=4" "-noclaim" "-DSAFETY -DNOCLAIM"
  expect sound "every run ends, $places places" "-DPLACES=$places -DTOKENS=2" "-a -f" "-DNFAIR=3"
done
expect refused "mutant: ack before the place is read" "-DPLACES=1 -DEARLY_ACK" "-noclaim" "-DSAFETY -DNOCLAIM"
expect refused "mutant: parks without looking again" "-DPLACES=1 -DNO_RECHECK" "-noclaim" "-DSAFETY -DNOCLAIM"
expect refused "mutant: an abort that wakes nobody" "-DPLACES=1 -DSILENT_ABORT" "-noclaim" "-DSAFETY -DNOCLAIM"
exit $failed
