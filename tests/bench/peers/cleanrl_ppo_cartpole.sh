#!/usr/bin/env bash
# Runs CleanRL's ppo.py the way that is fairest to it.  usage: CLEANRL=FOLDER GYM=FOLDER cleanrl_ppo_cartpole.sh SEED [STEPS]
# As sb3_ppo_cartpole.sh: one thread, OpenBLAS chooses its own kernels, glibc keeps pages.
set -euo pipefail
: "${CLEANRL:?folder of the CleanRL sources}" "${GYM:?folder of the Gymnasium 0.29.1 sources}"
source "$(dirname "$0")/blas.sh"
exec env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$GYM" \
  GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296 \
  /usr/bin/python3 -W ignore "$(dirname "$0")/cleanrl_ppo_cartpole.py" "$CLEANRL/cleanrl/ppo.py" "$@"
