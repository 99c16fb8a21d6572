/* SPDX-License-Identifier: Apache-2.0 */

/* The constants of OpenSHMEM 1.6, those of older versions, and the types of its handles. */
#ifndef WEIR_SHMEM_CONSTANTS_H
#define WEIR_SHMEM_CONSTANTS_H

#include <stddef.h>
#include <stdint.h>

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN 64 /* with the 0 at its end */
#define SHMEM_VENDOR_STRING "Weir OpenSHMEM"
#define OSHMEM_SPEC_VERSION 10600 /* the version in one number, as Open MPI's header has it and programs ask for it */

#define SHMEM_THREAD_SINGLE 0
#define SHMEM_THREAD_FUNNELED 1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE 3

/* Handles. Programs in C++ may be compiled with warnings about the casts of C. */
#ifdef __cplusplus
#define WEIR_SHMEM_HANDLE(TYPE, NUMBER) (reinterpret_cast<TYPE>(NUMBER##UL))
#define WEIR_SHMEM_NO_HANDLE(TYPE) (static_cast<TYPE>(0))
#else
#define WEIR_SHMEM_HANDLE(TYPE, NUMBER) ((TYPE)NUMBER)
#define WEIR_SHMEM_NO_HANDLE(TYPE) ((TYPE)0)
#endif

/* Teams. A variable that is 0 is no team. */
typedef struct weir_shmem_team *shmem_team_t;
typedef struct {
  int num_contexts; /* that the team is going to have at a time, at least */
} shmem_team_config_t;
#define SHMEM_TEAM_INVALID WEIR_SHMEM_NO_HANDLE(shmem_team_t)
#define SHMEM_TEAM_WORLD WEIR_SHMEM_HANDLE(shmem_team_t, 1)
#define SHMEM_TEAM_SHARED WEIR_SHMEM_HANDLE(shmem_team_t, 2)
#define SHMEM_TEAM_NUM_CONTEXTS 1L /* in a mask: num_contexts counts */

/* Contexts. A variable that is 0 is no context. */
typedef struct weir_shmem_ctx *shmem_ctx_t;
typedef struct {
  size_t total_ops; /* of the session, as far as is known */
} shmem_ctx_session_config_t;
#define SHMEM_CTX_INVALID WEIR_SHMEM_NO_HANDLE(shmem_ctx_t)
#define SHMEM_CTX_DEFAULT WEIR_SHMEM_HANDLE(shmem_ctx_t, 1)
#define SHMEM_CTX_SERIALIZED 1L
#define SHMEM_CTX_PRIVATE 2L
#define SHMEM_CTX_NOSTORE 4L
#define SHMEM_CTX_SESSION_BATCH 1L     /* an option */
#define SHMEM_CTX_SESSION_TOTAL_OPS 1L /* in a mask: total_ops counts */

#define SHMEM_MALLOC_ATOMICS_REMOTE 1L
#define SHMEM_MALLOC_SIGNAL_REMOTE 2L

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

#define SHMEM_CMP_EQ 0
#define SHMEM_CMP_NE 1
#define SHMEM_CMP_GT 2
#define SHMEM_CMP_LE 3
#define SHMEM_CMP_LT 4
#define SHMEM_CMP_GE 5

/* Of active sets: the elements of pSync, what they are at first, and the least size of pWrk. */
#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 16
#define SHMEM_BARRIER_SYNC_SIZE 16
#define SHMEM_BCAST_SYNC_SIZE 16
#define SHMEM_COLLECT_SYNC_SIZE 16
#define SHMEM_REDUCE_SYNC_SIZE 16
#define SHMEM_ALLTOALL_SYNC_SIZE 16
#define SHMEM_ALLTOALLS_SYNC_SIZE 16
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 16

/* As they were called before OpenSHMEM 1.2. */
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_GE SHMEM_CMP_GE
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_ALLTOALL_SYNC_SIZE SHMEM_ALLTOALL_SYNC_SIZE
#define _SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_ALLTOALLS_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

#endif
