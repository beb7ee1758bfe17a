#!/usr/bin/env bash
# Runs the Stable-Baselines3 peer the way that is fairest to it.  usage: SB3=FOLDER GYM=FOLDER sb3_ppo_cartpole.sh SEED [STEPS]
# One thread; OpenBLAS chooses its own kernels (the reference BLAS is 30x slower); glibc keeps pages, because fresh ones are dear in a VM.
set -euo pipefail
: "${SB3:?folder of the Stable-Baselines3 2.3.2 sources}" "${GYM:?folder of the Gymnasium 0.29.1 sources}"
source "$(dirname "$0")/blas.sh"
exec env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$SB3:$GYM" \
  GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296 \
  /usr/bin/python3 -W ignore "$(dirname "$0")/sb3_ppo_cartpole.py" "$@"
