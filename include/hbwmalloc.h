/* SPDX-License-Identifier: Apache-2.0 */

/* High-bandwidth memory for C and C++ programs: the functions of memkind's hbwmalloc.h, without memkind.
 *
 * High-bandwidth memory is what `weir topo` shows as hbm. Memory is touched before it is given, so a full node is NULL
 * and ENOMEM, and never the kernel's out-of-memory killer. Link with libweir. Any thread may call everything.
 * docs/memory.md#hbwmalloc has an example and says what differs from memkind.
 */
#ifndef WEIR_HBWMALLOC_H
#define WEIR_HBWMALLOC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What happens when there is no high-bandwidth memory left, or none at all. */
typedef enum {
  HBW_POLICY_BIND = 1,       /* the nearest node or nothing: NULL, errno ENOMEM */
  HBW_POLICY_PREFERRED = 2,  /* the nearest node, else ordinary memory; the default */
  HBW_POLICY_INTERLEAVE = 3, /* page after page on another node, or nothing */
  HBW_POLICY_BIND_ALL = 4    /* any node, the nearest first, or nothing */
} hbw_policy_t;

typedef enum {
  HBW_PAGESIZE_4KB = 1,
  HBW_PAGESIZE_2MB = 2,        /* whole pages of 2 MiB; the kernel makes them large if it can */
  HBW_PAGESIZE_1GB_STRICT = 3, /* EINVAL */
  HBW_PAGESIZE_1GB = 4         /* EINVAL */
} hbw_pagesize_t;

/* Flag of hbw_verify_memory_region(): first reads and writes a byte of each page. */
enum { HBW_TOUCH_PAGES = 1 << 0 };

/* 0 when the machine has high-bandwidth memory that this process may use, full or not; else ENODEV. */
int hbw_check_available(void);

hbw_policy_t hbw_get_policy(void);

/* Once, before the first allocation. EINVAL: no such policy. EPERM: it was set before, or memory was allocated. */
int hbw_set_policy(hbw_policy_t mode);

/* Aligned to 64 bytes. NULL for 0 bytes; NULL and errno ENOMEM when the policy's memory is exhausted. */
void *hbw_malloc(size_t size);

/* Zeroed. NULL when either is 0; NULL and ENOMEM when the product is too large. */
void *hbw_calloc(size_t num, size_t size);

/* NULL as `ptr`: hbw_malloc(). 0 as `size`: hbw_free(), and NULL. On failure `ptr` and what it holds stay. */
void *hbw_realloc(void *ptr, size_t size);

/* What any of these functions gave, or NULL. */
void hbw_free(void *ptr);

/* Bytes that may be used there, at least as many as were asked for; 0 for NULL. */
size_t hbw_malloc_usable_size(void *ptr);

/* 0, and *memptr NULL for 0 bytes. EINVAL: `alignment` is not a power of two of at least sizeof(void *). ENOMEM. */
int hbw_posix_memalign(void **memptr, size_t alignment, size_t size);

/* As hbw_posix_memalign(). EINVAL also for a page size that is not supported, alone or with the policy INTERLEAVE. */
int hbw_posix_memalign_psize(void **memptr, size_t alignment, size_t size, hbw_pagesize_t pagesize);

/* 0: every page of [addr, addr + size) is in high-bandwidth memory. -1: one is not, or has not been touched.
 * EINVAL: addr is NULL, size is 0, or flags has an unknown bit. EFAULT: the kernel does not tell. */
int hbw_verify_memory_region(void *addr, size_t size, int flags);

#ifdef __cplusplus
}
#endif

#endif
