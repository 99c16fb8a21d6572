/* SPDX-License-Identifier: Apache-2.0 */

/* Memory by kind for C and C++ programs: the functions of memkind's interface that programs use most, without memkind.
 *
 * Link with -lmemkind from the folder libexec/weir/memkind of Weir, or run a program that was linked with memkind by
 * `weir run --memkind`. Memory is touched before it is given: a full node is NULL and ENOMEM, never the kernel's
 * out-of-memory killer. Any thread may call everything. docs/memory.md#memkind says what differs from memkind.
 */
#ifndef WEIR_MEMKIND_H
#define WEIR_MEMKIND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct memkind* memkind_t;

enum { MEMKIND_ERROR_MESSAGE_SIZE = 128 };

enum {
  MEMKIND_SUCCESS = 0,
  MEMKIND_ERROR_UNAVAILABLE = -1,            /* no such kind here, or Weir has none like it */
  MEMKIND_ERROR_MALLOC = -6,                 /* not enough memory */
  MEMKIND_ERROR_INVALID = -13,               /* an argument is wrong */
  MEMKIND_ERROR_HUGETLB = -18,               /* no huge pages are set aside */
  MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE = -20, /* the machine has no such memory that the process may use */
  MEMKIND_ERROR_RUNTIME = -255
};

/* malloc()'s; ordinary memory alone. */
extern memkind_t MEMKIND_DEFAULT, MEMKIND_REGULAR;
/* Page after page on another of all memory nodes. */
extern memkind_t MEMKIND_INTERLEAVE;
/* High-bandwidth memory: the nearest node; any, nearest first; the nearest, else ordinary memory; page after page. */
extern memkind_t MEMKIND_HBW, MEMKIND_HBW_ALL, MEMKIND_HBW_PREFERRED, MEMKIND_HBW_INTERLEAVE;
/* Slow and large memory besides the ordinary one (cxl, else nvm), in the same four ways. */
extern memkind_t MEMKIND_DAX_KMEM, MEMKIND_DAX_KMEM_ALL, MEMKIND_DAX_KMEM_PREFERRED, MEMKIND_DAX_KMEM_INTERLEAVE;
/* The kind of memory whose nodes are largest: any node; that or ordinary memory; the nearest; the nearest or ordinary.
 */
extern memkind_t MEMKIND_HIGHEST_CAPACITY, MEMKIND_HIGHEST_CAPACITY_PREFERRED;
extern memkind_t MEMKIND_HIGHEST_CAPACITY_LOCAL, MEMKIND_HIGHEST_CAPACITY_LOCAL_PREFERRED;
/* The nearest node with the most bandwidth: high-bandwidth memory, else ordinary memory. */
extern memkind_t MEMKIND_HIGHEST_BANDWIDTH_LOCAL, MEMKIND_HIGHEST_BANDWIDTH_LOCAL_PREFERRED;
/* The nearest ordinary memory. */
extern memkind_t MEMKIND_LOWEST_LATENCY_LOCAL, MEMKIND_LOWEST_LATENCY_LOCAL_PREFERRED;
/* Pages of 2 MiB that the administrator has set aside, wherever they are. */
extern memkind_t MEMKIND_HUGETLB;
/* Never available: use MEMKIND_HBW, whose memory is in large pages where the kernel has them free. */
extern memkind_t MEMKIND_HBW_HUGETLB, MEMKIND_HBW_ALL_HUGETLB, MEMKIND_HBW_PREFERRED_HUGETLB;

/* MEMKIND_SUCCESS, or why the kind cannot be had. */
int memkind_check_available(memkind_t kind);
/* The kind that is like the one of this memory, NULL for NULL. MEMKIND_DEFAULT for memory of malloc(). */
memkind_t memkind_detect_kind(void* ptr);

/* Aligned to 64 bytes, from malloc() to what that aligns to. NULL for 0 bytes; NULL and errno ENOMEM or EINVAL. */
void* memkind_malloc(memkind_t kind, size_t size);
void* memkind_calloc(memkind_t kind, size_t num, size_t size);
/* `kind` may be NULL: the memory's own, or ordinary memory where that has no room, as of the kinds that prefer. 0 as
 * `size`: memkind_free(), and NULL. On failure `ptr` stays. */
void* memkind_realloc(memkind_t kind, void* ptr, size_t size);
/* What any of these functions gave, of any kind, or NULL. */
void memkind_free(memkind_t kind, void* ptr);
/* 0, EINVAL, ENOMEM. */
int memkind_posix_memalign(memkind_t kind, void** memptr, size_t alignment, size_t size);
size_t memkind_malloc_usable_size(memkind_t kind, void* ptr);

/* Of the interface that this one is like: major * 1000000 + minor * 1000 + patch. */
int memkind_get_version(void);
void memkind_error_message(int err, char* msg, size_t size);

#ifdef __cplusplus
}
#endif

#endif
