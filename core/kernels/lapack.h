// The LAPACK and BLAS routines that are used, for float and double under one name. Matrices are
// column-major; the result is LAPACK's info. They run on the calling thread alone, so that results
// do not depend on the number of threads: each kernel calls one_thread() first.
#pragma once

#include <cblas.h>

#include <cstddef>
#include <cstdint>

namespace oneagent::lapack {

inline void one_thread() {
  static const bool done = (openblas_set_num_threads(1), true);
  (void)done;
}

using Int = int;

#define OA_LAPACK(T, p)                                                                            \
  extern "C" {                                                                                     \
  void p##potrf_(const char*, const Int*, T*, const Int*, Int*, size_t);                           \
  void p##potri_(const char*, const Int*, T*, const Int*, Int*, size_t);                           \
  void p##getrf_(const Int*, const Int*, T*, const Int*, Int*, Int*);                              \
  void p##getrs_(const char*, const Int*, const Int*, const T*, const Int*, const Int*, T*,        \
                 const Int*, Int*, size_t);                                                        \
  void p##getri_(const Int*, T*, const Int*, const Int*, T*, const Int*, Int*);                    \
  void p##geqrf_(const Int*, const Int*, T*, const Int*, T*, T*, const Int*, Int*);                \
  void p##orgqr_(const Int*, const Int*, const Int*, T*, const Int*, const T*, T*, const Int*,     \
                 Int*);                                                                            \
  void p##ormqr_(const char*, const char*, const Int*, const Int*, const Int*, const T*,           \
                 const Int*, const T*, T*, const Int*, T*, const Int*, Int*, size_t, size_t);      \
  void p##gesdd_(const char*, const Int*, const Int*, T*, const Int*, T*, T*, const Int*, T*,      \
                 const Int*, T*, const Int*, Int*, Int*, size_t);                                  \
  void p##syevd_(const char*, const char*, const Int*, T*, const Int*, T*, T*, const Int*, Int*,   \
                 const Int*, Int*, size_t, size_t);                                                \
  void p##sytrf_(const char*, const Int*, T*, const Int*, Int*, T*, const Int*, Int*, size_t);     \
  void p##sytrs_(const char*, const Int*, const Int*, const T*, const Int*, const Int*, T*,        \
                 const Int*, Int*, size_t);                                                        \
  void p##gels_(const char*, const Int*, const Int*, const Int*, T*, const Int*, T*, const Int*,   \
                T*, const Int*, Int*, size_t);                                                     \
  void p##gelsy_(const Int*, const Int*, const Int*, T*, const Int*, T*, const Int*, Int*,         \
                 const T*, Int*, T*, const Int*, Int*);                                            \
  void p##gelsd_(const Int*, const Int*, const Int*, T*, const Int*, T*, const Int*, T*, const T*, \
                 Int*, T*, const Int*, Int*, Int*);                                                \
  void p##gelss_(const Int*, const Int*, const Int*, T*, const Int*, T*, const Int*, T*, const T*, \
                 Int*, T*, const Int*, Int*);                                                      \
  }                                                                                                \
  inline Int potrf(char uplo, Int n, T* a, Int lda) {                                              \
    Int info = 0;                                                                                  \
    p##potrf_(&uplo, &n, a, &lda, &info, 1);                                                       \
    return info;                                                                                   \
  }                                                                                                \
  inline Int potri(char uplo, Int n, T* a, Int lda) {                                              \
    Int info = 0;                                                                                  \
    p##potri_(&uplo, &n, a, &lda, &info, 1);                                                       \
    return info;                                                                                   \
  }                                                                                                \
  inline Int getrf(Int m, Int n, T* a, Int lda, Int* pivots) {                                     \
    Int info = 0;                                                                                  \
    p##getrf_(&m, &n, a, &lda, pivots, &info);                                                     \
    return info;                                                                                   \
  }                                                                                                \
  inline Int getrs(Int n, Int columns, const T* a, Int lda, const Int* pivots, T* b, Int ldb) {    \
    Int info = 0;                                                                                  \
    const char trans = 'N';                                                                        \
    p##getrs_(&trans, &n, &columns, a, &lda, pivots, b, &ldb, &info, 1);                           \
    return info;                                                                                   \
  }                                                                                                \
  inline Int getri(Int n, T* a, Int lda, const Int* pivots, T* work, Int size) {                   \
    Int info = 0;                                                                                  \
    p##getri_(&n, a, &lda, pivots, work, &size, &info);                                            \
    return info;                                                                                   \
  }                                                                                                \
  inline Int geqrf(Int m, Int n, T* a, Int lda, T* tau, T* work, Int size) {                       \
    Int info = 0;                                                                                  \
    p##geqrf_(&m, &n, a, &lda, tau, work, &size, &info);                                           \
    return info;                                                                                   \
  }                                                                                                \
  inline Int orgqr(Int m, Int n, Int k, T* a, Int lda, const T* tau, T* work, Int size) {          \
    Int info = 0;                                                                                  \
    p##orgqr_(&m, &n, &k, a, &lda, tau, work, &size, &info);                                       \
    return info;                                                                                   \
  }                                                                                                \
  inline Int ormqr(char side, char trans, Int m, Int n, Int k, const T* a, Int lda, const T* tau,  \
                   T* c, Int ldc, T* work, Int size) {                                             \
    Int info = 0;                                                                                  \
    p##ormqr_(&side, &trans, &m, &n, &k, a, &lda, tau, c, &ldc, work, &size, &info, 1, 1);         \
    return info;                                                                                   \
  }                                                                                                \
  inline Int gesdd(char job, Int m, Int n, T* a, Int lda, T* s, T* u, Int ldu, T* vt, Int ldvt,    \
                   T* work, Int size, Int* integers) {                                             \
    Int info = 0;                                                                                  \
    p##gesdd_(&job, &m, &n, a, &lda, s, u, &ldu, vt, &ldvt, work, &size, integers, &info, 1);      \
    return info;                                                                                   \
  }                                                                                                \
  inline Int syevd(char job, char uplo, Int n, T* a, Int lda, T* w, T* work, Int size,             \
                   Int* integers, Int integer_size) {                                              \
    Int info = 0;                                                                                  \
    p##syevd_(&job, &uplo, &n, a, &lda, w, work, &size, integers, &integer_size, &info, 1, 1);     \
    return info;                                                                                   \
  }                                                                                                \
  inline Int sytrf(char uplo, Int n, T* a, Int lda, Int* pivots, T* work, Int size) {              \
    Int info = 0;                                                                                  \
    p##sytrf_(&uplo, &n, a, &lda, pivots, work, &size, &info, 1);                                  \
    return info;                                                                                   \
  }                                                                                                \
  inline Int sytrs(char uplo, Int n, Int columns, const T* a, Int lda, const Int* pivots, T* b,    \
                   Int ldb) {                                                                      \
    Int info = 0;                                                                                  \
    p##sytrs_(&uplo, &n, &columns, a, &lda, pivots, b, &ldb, &info, 1);                            \
    return info;                                                                                   \
  }                                                                                                \
  inline Int gels(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, T* work, Int size) {    \
    Int info = 0;                                                                                  \
    const char trans = 'N';                                                                        \
    p##gels_(&trans, &m, &n, &columns, a, &lda, b, &ldb, work, &size, &info, 1);                   \
    return info;                                                                                   \
  }                                                                                                \
  inline Int gelsy(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, Int* order, T rcond,   \
                   Int* rank, T* work, Int size) {                                                 \
    Int info = 0;                                                                                  \
    p##gelsy_(&m, &n, &columns, a, &lda, b, &ldb, order, &rcond, rank, work, &size, &info);        \
    return info;                                                                                   \
  }                                                                                                \
  inline Int gelsd(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, T* s, T rcond,         \
                   Int* rank, T* work, Int size, Int* integers) {                                  \
    Int info = 0;                                                                                  \
    p##gelsd_(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, rank, work, &size, integers, &info);  \
    return info;                                                                                   \
  }                                                                                                \
  inline Int gelss(Int m, Int n, Int columns, T* a, Int lda, T* b, Int ldb, T* s, T rcond,         \
                   Int* rank, T* work, Int size) {                                                 \
    Int info = 0;                                                                                  \
    p##gelss_(&m, &n, &columns, a, &lda, b, &ldb, s, &rcond, rank, work, &size, &info);            \
    return info;                                                                                   \
  }                                                                                                \
  /* Row-major: solves op(A) X = B (left) or X op(A) = B in place of B [m, n]. */                  \
  inline void trsm(bool left, bool upper, bool transposed, bool unit, Int m, Int n, const T* a,    \
                   Int lda, T* b, Int ldb) {                                                       \
    cblas_##p##trsm(CblasRowMajor, left ? CblasLeft : CblasRight, upper ? CblasUpper : CblasLower, \
                    transposed ? CblasTrans : CblasNoTrans, unit ? CblasUnit : CblasNonUnit, m, n, \
                    T(1), a, lda, b, ldb);                                                         \
  }
OA_LAPACK(float, s)
OA_LAPACK(double, d)
#undef OA_LAPACK

}  // namespace oneagent::lapack
