#!/usr/bin/env bash
# Of the image: redis | health SERVICE | any command line of oneagent.
# ONEAGENT_SET holds settings that all services share, KEY=VALUE separated by spaces; each becomes a --set of a service's command.
# ONEAGENT_RUN and ONEAGENT_STORE name the run and the store, for services and health checks.
set -euo pipefail
service_arguments() {  # fills set_arguments
  local settings setting
  read -r -a settings <<<"run.name=${ONEAGENT_RUN:?} store.address=${ONEAGENT_STORE:?} ${ONEAGENT_SET:-}"
  set_arguments=()
  for setting in "${settings[@]}"; do set_arguments+=(--set "$setting"); done
}

http_ok() {  # PORT PATH
  exec 3<>"/dev/tcp/127.0.0.1/$1"
  printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$2" >&3
  read -r -t 3 line <&3
  [[ $line == *" 200 "* ]]
}

case ${1:-} in
  redis)
    exec redis-server --bind '*' --protected-mode no --dir /var/lib/oneagent-redis --appendonly yes --appendfsync always --save '' ;;
  health)
    case ${2:?service} in
      redis) [ "$(redis-cli ping)" = PONG ] ;;
      gateway) http_ok 8080 /api/health ;;
      *) exec oneagent status "$ONEAGENT_RUN" --store "$ONEAGENT_STORE" --health "$2" ;;
    esac ;;
  actor | learner | rank | replay | evaluator | gateway)
    service_arguments
    exec oneagent "$@" "${set_arguments[@]}" ;;
  *) exec oneagent "$@" ;;
esac
