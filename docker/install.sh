#!/usr/bin/env bash
# Installs the Debian 12 packages that are missing, and nothing else.
# usage: docker/install.sh PROFILE...     profiles: build, test, compose, runtime, bench
# Idempotent: a second run takes well under a second. Root or sudo is needed only when something is missing.
set -euo pipefail

packages_build=(
  g++ cmake ninja-build ccache mold pkg-config git ca-certificates
  capnproto libcapnp-dev        # wire schemas
  libzmq3-dev cppzmq-dev        # transport
  libsqlite3-dev libhiredis-dev # metadata store, embedded and Redis
  libabsl-dev libspdlog-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libssl-dev libzstd-dev libxxhash-dev
  libcpp-httplib-dev            # gateway
  libopenblas-dev               # LAPACK: the decompositions of core/ops
  libgloo-dev                   # core/comm between processes
  python3-minimal               # writes the generated parts of the torch API
)
packages_test=(
  libgtest-dev libgmock-dev libbenchmark-dev
  redis-server                  # conformance suite of the store
  clang-format                  # tests/style
  chromium                      # the dashboard is looked at in a real browser
  curl procps
  spin                          # checks the model of the segments' protocol
)
packages_compose=(iptables mmdebstrap curl jq procps)
packages_runtime=(
  libzmq5 libcapnp-0.9.2 libsqlite3-0 libhiredis0.14 libabsl20220623 libspdlog1.10 libfmt9 libssl3 libzstd1
  libcpp-httplib0.11 libopenblas0-pthread libgloo0 redis-server
)
packages_bench=(
  libbenchmark-dev time libdnnl-dev libxsmm-dev
  python3-torch libtorch-dev python3-cloudpickle python3-pandas python3-matplotlib  # what the peers import
)

# Packages that another source may already provide are named only where the command is absent.
provided_elsewhere() {
  case $1 in
    test)
      command -v npm >/dev/null || echo nodejs npm ;;
    compose)
      command -v dockerd >/dev/null || echo docker.io
      docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || echo docker-compose ;;
  esac
}

wanted=()
for profile in "$@"; do
  case $profile in
    build) wanted+=("${packages_build[@]}") ;;
    test) wanted+=("${packages_build[@]}" "${packages_test[@]}") ;;
    compose) wanted+=("${packages_compose[@]}") ;;
    runtime) wanted+=("${packages_runtime[@]}") ;;
    bench) wanted+=("${packages_build[@]}" "${packages_bench[@]}") ;;
    *) echo "install.sh: unknown profile '$profile'; profiles are build, test, compose, runtime, bench" >&2; exit 2 ;;
  esac
  read -r -a extra <<<"$(provided_elsewhere "$profile" | tr '\n' ' ')"
  wanted+=("${extra[@]}")
done
[ ${#wanted[@]} -gt 0 ] || { echo "usage: docker/install.sh PROFILE..." >&2; exit 2; }
command -v apt-get >/dev/null || { echo "install.sh: needs a Debian system (no apt-get here); packages: ${wanted[*]}" >&2; exit 1; }

installed=" $(dpkg-query -W -f '${db:Status-Status}=${Package} ' "${wanted[@]}" 2>/dev/null || true)"
missing=()
for package in "${wanted[@]}"; do
  [[ $installed == *" installed=$package "* || " ${missing[*]} " == *" $package "* ]] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "install.sh: run as root, or install sudo; missing: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" \
    </dev/null >>"$log" 2>&1
}
echo "install: ${#missing[@]} packages: ${missing[*]}"
apt update || true  # one unreachable third-party source is no reason to stop; a missing package is, below
if ! apt install --no-install-recommends "${missing[@]}"; then
  tail -n 20 "$log" >&2
  echo "install.sh: apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
