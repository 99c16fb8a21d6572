/* SPDX-License-Identifier: Apache-2.0 */

/* OpenSHMEM 1.6 on Weir: what a program includes. docs/shmem.md says how to build and run one, weir-shmem(7) what there
 * is.
 *
 * Routines that exist for many types are in detail/: routines.h has each once, with its parameters, types.h the types.
 * Every routine is there as pshmem_..., too; shmem_... is a weak name of the same function, which a profiler may define.
 * In C11, shmem_put() and its like select the function by the types of their arguments; in C++ they are overloads. */
#ifndef SHMEM_H
#define SHMEM_H

/* Before C99 and C++11 these headers use what every compiler has and -pedantic speaks of: long long, _Complex, "...". */
#if defined(__cplusplus) ? __cplusplus < 201103L : !defined(__STDC_VERSION__) || __STDC_VERSION__ < 199901L
#pragma GCC system_header
#endif

/* What is C++ here says so: programs include it within extern "C", too. */
#ifdef __cplusplus
extern "C++" {
#include <complex>
}
#endif

#include "detail/constants.h"
#include "detail/plain.h"

#ifdef __cplusplus
typedef std::complex<double> weir_shmem_complexd;
typedef std::complex<float> weir_shmem_complexf;
extern "C" {
#else
typedef double _Complex weir_shmem_complexd;
typedef float _Complex weir_shmem_complexf;
#endif

/* No routine throws; only the library says so, or a profiler in C++ would have to say it in the same words. */
#ifndef WEIR_SHMEM_NOTHROW
#define WEIR_SHMEM_NOTHROW
#endif

#define WEIR_SHMEM_DECLARE_PLAIN(R, NAME, PARAMETERS) \
  R NAME PARAMETERS WEIR_SHMEM_NOTHROW;               \
  R p##NAME PARAMETERS WEIR_SHMEM_NOTHROW;

WEIR_SHMEM_SETUP(WEIR_SHMEM_DECLARE_PLAIN)
WEIR_SHMEM_MEMORY(WEIR_SHMEM_DECLARE_PLAIN)
WEIR_SHMEM_TEAMS(WEIR_SHMEM_DECLARE_PLAIN)
WEIR_SHMEM_ORDER(WEIR_SHMEM_DECLARE_PLAIN)
WEIR_SHMEM_TOGETHER(WEIR_SHMEM_DECLARE_PLAIN)
WEIR_SHMEM_OLD(WEIR_SHMEM_DECLARE_PLAIN)

#if defined(__cplusplus) && __cplusplus >= 201103L
#define WEIR_SHMEM_NO_RETURN [[noreturn]]
#elif !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define WEIR_SHMEM_NO_RETURN _Noreturn
#else
#define WEIR_SHMEM_NO_RETURN
#endif
/* Ends all PEs with this status, from any one, whatever the others do. */
WEIR_SHMEM_NO_RETURN void shmem_global_exit(int status) WEIR_SHMEM_NOTHROW;
WEIR_SHMEM_NO_RETURN void pshmem_global_exit(int status) WEIR_SHMEM_NOTHROW;

#include "detail/prototypes.h"

#ifdef __cplusplus
}
extern "C++" {
#include "detail/overloads.h"
}
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#include "detail/generic.h"
#endif

/* Tests of Sandia's library that define this name go through the types by a macro of its header. */
#ifdef SHMEM_INTERNAL_INCLUDE
#define WEIR_SHMEM_EACH_TYPE(X, N, T) X(N, T);
#define SHMEM_DECLARE_FOR_RMA(X) WEIR_SHMEM_RMA_TYPES(WEIR_SHMEM_EACH_TYPE, X)
#define SHMEM_DECLARE_FOR_AMO(X) WEIR_SHMEM_AMO_TYPES(WEIR_SHMEM_EACH_TYPE, X)
#define SHMEM_DECLARE_FOR_EXTENDED_AMO(X) WEIR_SHMEM_EXT_TYPES(WEIR_SHMEM_EACH_TYPE, X)
#endif

#endif
