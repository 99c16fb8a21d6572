/* SPDX-License-Identifier: Apache-2.0 */

/* C++: shmem_put() and its like are overloads, one for each type, without a context and with one. */
#ifndef WEIR_SHMEM_OVERLOADS_H
#define WEIR_SHMEM_OVERLOADS_H

#define WEIR_SHMEM_OVERLOAD(R, N, T, NAME, PARAMETERS, ARGUMENTS) \
  inline R shmem##NAME PARAMETERS WEIR_SHMEM_NOTHROW { return shmem_##N##NAME ARGUMENTS; }
#define WEIR_SHMEM_OVERLOAD_CTX(R, N, T, NAME, PARAMETERS, ARGUMENTS)                            \
  WEIR_SHMEM_OVERLOAD(R, N, T, NAME, PARAMETERS, ARGUMENTS)                                      \
  inline R shmem##NAME(shmem_ctx_t ctx, WEIR_SHMEM_BARE PARAMETERS) WEIR_SHMEM_NOTHROW {         \
    return shmem_ctx_##N##NAME(ctx, WEIR_SHMEM_BARE ARGUMENTS);                                  \
  }

WEIR_SHMEM_RMA_C(WEIR_SHMEM_RMA, WEIR_SHMEM_OVERLOAD_CTX)
WEIR_SHMEM_EXT_C(WEIR_SHMEM_EXT, WEIR_SHMEM_OVERLOAD_CTX)
WEIR_SHMEM_AMO_C(WEIR_SHMEM_AMO, WEIR_SHMEM_OVERLOAD_CTX)
WEIR_SHMEM_BIT_C(WEIR_SHMEM_BIT, WEIR_SHMEM_OVERLOAD_CTX)

/* shmem_wait_until() of a long is a function of the library's. */
WEIR_SHMEM_P2P_NOT_LONG(WEIR_SHMEM_WAIT, WEIR_SHMEM_OVERLOAD)
inline int shmem_test(long *ivar, int cmp, long cmp_value) WEIR_SHMEM_NOTHROW {
  return shmem_long_test(ivar, cmp, cmp_value);
}
WEIR_SHMEM_AMO_C(WEIR_SHMEM_WAIT_SEVERAL, WEIR_SHMEM_OVERLOAD)

WEIR_SHMEM_RMA_C(WEIR_SHMEM_COLLECTIVE, WEIR_SHMEM_OVERLOAD)
WEIR_SHMEM_REDUCE_BITS_C(WEIR_SHMEM_REDUCE_BITS, WEIR_SHMEM_OVERLOAD)
WEIR_SHMEM_RMA_C(WEIR_SHMEM_REDUCE_MINMAX, WEIR_SHMEM_OVERLOAD)
WEIR_SHMEM_REDUCE_SUM_C(WEIR_SHMEM_REDUCE_SUM, WEIR_SHMEM_OVERLOAD)
WEIR_SHMEM_REDUCE_SUM_C(WEIR_SHMEM_SCAN, WEIR_SHMEM_OVERLOAD)

WEIR_SHMEM_OLD_EXT(WEIR_SHMEM_OLD_SWAPS, WEIR_SHMEM_OVERLOAD)
WEIR_SHMEM_OLD_AMO(WEIR_SHMEM_OLD_SUMS, WEIR_SHMEM_OVERLOAD)

inline int shmem_sync(shmem_team_t team) WEIR_SHMEM_NOTHROW { return shmem_team_sync(team); }
inline void shmem_signal_add(shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe) WEIR_SHMEM_NOTHROW {
  shmem_ctx_signal_add(ctx, sig_addr, signal, pe);
}
inline void shmem_signal_set(shmem_ctx_t ctx, uint64_t *sig_addr, uint64_t signal, int pe) WEIR_SHMEM_NOTHROW {
  shmem_ctx_signal_set(ctx, sig_addr, signal, pe);
}

/* C's complex types, which g++ and clang++ have in C++, too: programs that include <complex.h> pass them. */
#if defined(__GNUC__)
__extension__ typedef double _Complex weir_shmem_c_complexd;
__extension__ typedef float _Complex weir_shmem_c_complexf;
#define WEIR_SHMEM_C_COMPLEX(G, X) G(X, complexd, weir_shmem_c_complexd) G(X, complexf, weir_shmem_c_complexf)
#define WEIR_SHMEM_C_COMPLEX_TEAM(R, N, T, NAME, PARAMETERS, ARGUMENTS)                                        \
  inline int shmem_##N##NAME(shmem_team_t team, T *dest, const T *source, size_t n) WEIR_SHMEM_NOTHROW {       \
    return shmem_##N##NAME(team, reinterpret_cast<weir_shmem_##N *>(dest),                                     \
                           reinterpret_cast<const weir_shmem_##N *>(source), n);                               \
  }                                                                                                            \
  inline int shmem##NAME(shmem_team_t team, T *dest, const T *source, size_t n) WEIR_SHMEM_NOTHROW {           \
    return shmem_##N##NAME(team, dest, source, n);                                                             \
  }
#define WEIR_SHMEM_C_COMPLEX_SET(R, N, T, NAME, PARAMETERS, ARGUMENTS)                                         \
  inline void shmem_##N##NAME PARAMETERS WEIR_SHMEM_NOTHROW {                                                  \
    shmem_##N##NAME(reinterpret_cast<weir_shmem_##N *>(dest), reinterpret_cast<const weir_shmem_##N *>(source), \
                    nreduce, PE_start, logPE_stride, PE_size, reinterpret_cast<weir_shmem_##N *>(pWrk), pSync); \
  }
WEIR_SHMEM_C_COMPLEX(WEIR_SHMEM_REDUCE_SUM, WEIR_SHMEM_C_COMPLEX_TEAM)
WEIR_SHMEM_C_COMPLEX(WEIR_SHMEM_SCAN, WEIR_SHMEM_C_COMPLEX_TEAM)
WEIR_SHMEM_C_COMPLEX(WEIR_SHMEM_OLD_SUM, WEIR_SHMEM_C_COMPLEX_SET)
#endif

/* Waiting programs of OpenSHMEM 1.3 have volatile variables. */
#define WEIR_SHMEM_BUT_FIRST(FIRST, ...) __VA_ARGS__
#define WEIR_SHMEM_OVERLOAD_VOLATILE(R, N, T, NAME, PARAMETERS, ARGUMENTS)                                  \
  inline R shmem##NAME(volatile T *ivars, WEIR_SHMEM_BUT_FIRST PARAMETERS) WEIR_SHMEM_NOTHROW {             \
    return shmem_##N##NAME(const_cast<T *>(ivars), WEIR_SHMEM_BUT_FIRST ARGUMENTS);                         \
  }                                                                                                         \
  inline R shmem_##N##NAME(volatile T *ivars, WEIR_SHMEM_BUT_FIRST PARAMETERS) WEIR_SHMEM_NOTHROW {         \
    return shmem_##N##NAME(const_cast<T *>(ivars), WEIR_SHMEM_BUT_FIRST ARGUMENTS);                         \
  }
#define WEIR_SHMEM_VOLATILE_WAIT(X, N, T)                                                                   \
  inline void shmem_##N##_wait(volatile T *ivar, T cmp_value) WEIR_SHMEM_NOTHROW {                          \
    shmem_##N##_wait(const_cast<T *>(ivar), cmp_value);                                                     \
  }
WEIR_SHMEM_P2P_C(WEIR_SHMEM_VOLATILE_WAIT, WEIR_SHMEM_OVERLOAD)
WEIR_SHMEM_P2P_C(WEIR_SHMEM_WAIT, WEIR_SHMEM_OVERLOAD_VOLATILE)
WEIR_SHMEM_AMO_C(WEIR_SHMEM_WAIT_SEVERAL, WEIR_SHMEM_OVERLOAD_VOLATILE)
inline uint64_t shmem_signal_wait_until(volatile uint64_t *sig_addr, int cmp, uint64_t cmp_value) WEIR_SHMEM_NOTHROW {
  return shmem_signal_wait_until(const_cast<uint64_t *>(sig_addr), cmp, cmp_value);
}
inline void shmem_wait(volatile long *ivar, long cmp_value) WEIR_SHMEM_NOTHROW {
  shmem_wait(const_cast<long *>(ivar), cmp_value);
}

#endif
