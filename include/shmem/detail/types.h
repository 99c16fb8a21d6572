/* SPDX-License-Identifier: Apache-2.0 */

/* The types of OpenSHMEM's routines, once: each list calls G(X, name in the routine, C type) for every type of it.
 *
 * G is a group of routines of routines.h, X what is done with each of them. A list that ends in _C has each C type only
 * once (int64_t may be long), as generic selections and overloads need it. */
#ifndef WEIR_SHMEM_TYPES_H
#define WEIR_SHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Puts, gets and the collectives that move data. */
#define WEIR_SHMEM_RMA_C(G, X) \
  G(X, float, float)           \
  G(X, double, double)         \
  G(X, longdouble, long double) \
  G(X, char, char)             \
  G(X, schar, signed char)     \
  G(X, short, short)           \
  G(X, int, int)               \
  G(X, long, long)             \
  G(X, longlong, long long)    \
  G(X, uchar, unsigned char)   \
  G(X, ushort, unsigned short) \
  G(X, uint, unsigned int)     \
  G(X, ulong, unsigned long)   \
  G(X, ulonglong, unsigned long long)
#define WEIR_SHMEM_RMA_TYPES(G, X) \
  WEIR_SHMEM_RMA_C(G, X)           \
  G(X, int8, int8_t)               \
  G(X, int16, int16_t)             \
  G(X, int32, int32_t)             \
  G(X, int64, int64_t)             \
  G(X, uint8, uint8_t)             \
  G(X, uint16, uint16_t)           \
  G(X, uint32, uint32_t)           \
  G(X, uint64, uint64_t)           \
  G(X, size, size_t)               \
  G(X, ptrdiff, ptrdiff_t)

/* Atomics that count and compare; waits for several variables. */
#define WEIR_SHMEM_AMO_C(G, X) \
  G(X, int, int)               \
  G(X, long, long)             \
  G(X, longlong, long long)    \
  G(X, uint, unsigned int)     \
  G(X, ulong, unsigned long)   \
  G(X, ulonglong, unsigned long long)
#define WEIR_SHMEM_AMO_ALIASES(G, X) \
  G(X, int32, int32_t)               \
  G(X, int64, int64_t)               \
  G(X, uint32, uint32_t)             \
  G(X, uint64, uint64_t)             \
  G(X, size, size_t)                 \
  G(X, ptrdiff, ptrdiff_t)
#define WEIR_SHMEM_AMO_TYPES(G, X) WEIR_SHMEM_AMO_C(G, X) WEIR_SHMEM_AMO_ALIASES(G, X)

/* Atomics that set, fetch and swap. */
#define WEIR_SHMEM_EXT_C(G, X) WEIR_SHMEM_AMO_C(G, X) G(X, float, float) G(X, double, double)
#define WEIR_SHMEM_EXT_TYPES(G, X) WEIR_SHMEM_AMO_TYPES(G, X) G(X, float, float) G(X, double, double)

/* Atomics on bits; int, long and long long as other libraries have them. */
#define WEIR_SHMEM_BIT_C(G, X) WEIR_SHMEM_AMO_C(G, X)
#define WEIR_SHMEM_BIT_TYPES(G, X) \
  WEIR_SHMEM_BIT_C(G, X)           \
  G(X, int32, int32_t)             \
  G(X, int64, int64_t)             \
  G(X, uint32, uint32_t)           \
  G(X, uint64, uint64_t)

/* Waits for one variable: those of 16 bits, and all of the atomics. */
#define WEIR_SHMEM_P2P_C(G, X) G(X, short, short) G(X, ushort, unsigned short) WEIR_SHMEM_AMO_C(G, X)
#define WEIR_SHMEM_P2P_TYPES(G, X) G(X, short, short) G(X, ushort, unsigned short) WEIR_SHMEM_AMO_TYPES(G, X)
/* All but long, whose shmem_wait_until() is a function of that name. */
#define WEIR_SHMEM_P2P_NOT_LONG(G, X) \
  G(X, short, short)                  \
  G(X, ushort, unsigned short)        \
  G(X, int, int)                      \
  G(X, longlong, long long)           \
  G(X, uint, unsigned int)            \
  G(X, ulong, unsigned long)          \
  G(X, ulonglong, unsigned long long)

/* Reductions of teams: bits, of long long, too, as other libraries have it; least and greatest are of all types of puts;
 * sums, products and scans of complex numbers, too. */
#define WEIR_SHMEM_REDUCE_BITS_C(G, X) \
  G(X, uchar, unsigned char)           \
  G(X, ushort, unsigned short)         \
  G(X, uint, unsigned int)             \
  G(X, ulong, unsigned long)           \
  G(X, ulonglong, unsigned long long)  \
  G(X, int8, int8_t)                   \
  G(X, short, short)                   \
  G(X, int, int)                       \
  G(X, long, long)                     \
  G(X, longlong, long long)
#define WEIR_SHMEM_REDUCE_BITS_TYPES(G, X) \
  WEIR_SHMEM_REDUCE_BITS_C(G, X)           \
  G(X, int16, int16_t)                     \
  G(X, int32, int32_t)                     \
  G(X, int64, int64_t)                     \
  G(X, uint8, uint8_t)                     \
  G(X, uint16, uint16_t)                   \
  G(X, uint32, uint32_t)                   \
  G(X, uint64, uint64_t)                   \
  G(X, size, size_t)
#define WEIR_SHMEM_COMPLEX(G, X) G(X, complexd, weir_shmem_complexd) G(X, complexf, weir_shmem_complexf)
#define WEIR_SHMEM_REDUCE_SUM_C(G, X) WEIR_SHMEM_RMA_C(G, X) WEIR_SHMEM_COMPLEX(G, X)
#define WEIR_SHMEM_REDUCE_SUM_TYPES(G, X) WEIR_SHMEM_RMA_TYPES(G, X) WEIR_SHMEM_COMPLEX(G, X)

/* Reductions of active sets. */
#define WEIR_SHMEM_TO_ALL_BITS(G, X) G(X, short, short) G(X, int, int) G(X, long, long) G(X, longlong, long long)
#define WEIR_SHMEM_TO_ALL_MINMAX(G, X) \
  WEIR_SHMEM_TO_ALL_BITS(G, X) G(X, float, float) G(X, double, double) G(X, longdouble, long double)
#define WEIR_SHMEM_TO_ALL_SUM(G, X) WEIR_SHMEM_TO_ALL_MINMAX(G, X) WEIR_SHMEM_COMPLEX(G, X)

/* Atomics and waits under their names of OpenSHMEM 1.3. */
#define WEIR_SHMEM_OLD_AMO(G, X) G(X, int, int) G(X, long, long) G(X, longlong, long long)
#define WEIR_SHMEM_OLD_EXT(G, X) WEIR_SHMEM_OLD_AMO(G, X) G(X, float, float) G(X, double, double)

/* Widths of elements without a type: G(X, bits, bytes). */
#define WEIR_SHMEM_SIZES(G, X) G(X, 8, 1) G(X, 16, 2) G(X, 32, 4) G(X, 64, 8) G(X, 128, 16)

#endif
