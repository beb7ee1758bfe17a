# Sourced by the peers' scripts: one thread, and the kernels that are fastest here. OpenBLAS 0.3.21 takes processors that are newer
# than itself for a Prescott and is then five times slower.
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
blas_core() { /usr/bin/python3 -c 'import ctypes; f = ctypes.CDLL("libopenblas.so.0").openblas_get_corename; f.restype = ctypes.c_char_p; print(f().decode())' 2>/dev/null; }
if [ "$(blas_core)" = Prescott ]; then
  if grep -qw avx512f /proc/cpuinfo; then export OPENBLAS_CORETYPE=SKYLAKEX; elif grep -qw avx2 /proc/cpuinfo; then export OPENBLAS_CORETYPE=HASWELL; fi
fi
