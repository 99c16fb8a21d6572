/* SPDX-License-Identifier: Apache-2.0 */

/* An OpenMP program that allocates by OpenMP's allocators, writes, and says where each page is.
 *
 * omp_places MIBS: a line for each allocator, "NAME PAGES NODE:PAGES...", and -1 as NODE where the kernel does not tell
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_NODES = 64 };

static void say(const char* name, char* data, size_t size) {
  size_t on[MOST_NODES + 1] = {0};
  const uintptr_t first = ((uintptr_t)data + PAGE - 1) / PAGE * PAGE;
  const size_t pages = ((uintptr_t)data + size - first) / PAGE;
  for (size_t i = 0; i < pages; ++i) {
    void* page = (void*)(first + i * PAGE); /* NOLINT(performance-no-int-to-ptr): of that memory */
    int node = -1;
    if (syscall(SYS_move_pages, 0, 1ul, &page, NULL, &node, 0) != 0 || node < 0 || node >= MOST_NODES)
      node = MOST_NODES;
    ++on[node];
  }
  printf("%s %zu", name, pages);
  for (int node = 0; node <= MOST_NODES; ++node)
    if (on[node] > 0) printf(" %d:%zu", node == MOST_NODES ? -1 : node, on[node]);
  puts("");
}

static int use(const char* name, omp_allocator_handle_t allocator, size_t size) {
  char* const data = omp_alloc(size, allocator);
  if (data == NULL) {
    printf("%s NULL\n", name);
    return 1;
  }
#pragma omp parallel for
  for (size_t i = 0; i < size; ++i) data[i] = (char)(i * 7);
  int right = 1;
#pragma omp parallel for reduction(&& : right)
  for (size_t i = 0; i < size; ++i) right = right && data[i] == (char)(i * 7);
  say(name, data, size);
  omp_free(data, allocator);
  return right;
}

int main(int count, char** words) {
  const size_t size = (size_t)(count > 1 ? atoi(words[1]) : 4) << 20;
  int right = use("high_bw", omp_high_bw_mem_alloc, size);
  right = use("large_cap", omp_large_cap_mem_alloc, size) && right;
  right = use("default", omp_default_mem_alloc, size) && right;
  puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
