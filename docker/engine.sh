#!/usr/bin/env bash
# Makes a Docker engine usable.  usage: docker/engine.sh start|stop
# start: installs what is missing, starts dockerd where none runs, and makes debian:bookworm-slim where no image registry is reached.
# stop: ends the dockerd that `start` started; one that ran before is left alone. As root.
set -euo pipefail
cd "$(dirname "$0")"
pid_file=/run/oneagent-dockerd.pid
log=/var/log/oneagent-dockerd.log
base=debian:bookworm-slim

fail() { echo "engine.sh: $*" >&2; exit 1; }

# A container's packets must fit the host's link; Docker assumes 1500 bytes.
link_mtu() {
  local device
  device=$(awk '$2 == "00000000" {print $1; exit}' /proc/net/route)
  cat "/sys/class/net/${device:-lo}/mtu"
}

start_dockerd() {
  [ "$(id -u)" = 0 ] || fail "no engine answers, and only root can start one"
  local mtu
  mtu=$(link_mtu)
  [ "$mtu" -le 1500 ] || mtu=1500
  setsid dockerd --mtu "$mtu" >"$log" 2>&1 </dev/null &
  echo $! >"$pid_file"
  for _ in $(seq 120); do
    docker info >/dev/null 2>&1 && return
    kill -0 "$(cat "$pid_file")" 2>/dev/null || break
    sleep 0.25
  done
  tail -n 5 "$log" >&2
  fail "dockerd did not start; its log is $log"
}

make_base_image() {
  docker image inspect "$base" >/dev/null 2>&1 && return
  timeout 60 docker pull -q "$base" >/dev/null 2>&1 && return
  echo "engine: no image registry is reached; making $base from Debian packages"
  mmdebstrap --quiet --variant=minbase bookworm - | docker import - "$base" >/dev/null
}

case ${1:-} in
  start)
    ./install.sh compose
    docker info >/dev/null 2>&1 || start_dockerd
    make_base_image
    docker version --format 'engine {{.Server.Version}}, base image ready' ;;
  stop)
    [ -f "$pid_file" ] || exit 0
    pid=$(cat "$pid_file")
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ]; then
      kill "$pid"
      for _ in $(seq 80); do kill -0 "$pid" 2>/dev/null || break; sleep 0.25; done
    fi
    rm -f "$pid_file" ;;
  *) echo "usage: docker/engine.sh start|stop" >&2; exit 2 ;;
esac
