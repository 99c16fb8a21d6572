/* SPDX-License-Identifier: Apache-2.0 */

/* memkind.h as a C program uses it, on whatever machine this is: what is not there must fail as memkind defines. */
#include <errno.h>
#include <hbwmalloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memkind/memkind.h"

static int failures = 0;

static void expect(int condition, const char* kind, const char* what) {
  if (condition) return;
  fprintf(stderr, "wrong: %s: %s\n", kind, what);
  ++failures;
}

/* Whatever kind it is, as long as it can be had. */
static void check_heap(memkind_t kind, const char* name) {
  char* data = memkind_malloc(kind, 100000);
  expect(data != NULL && memkind_malloc_usable_size(kind, data) >= 100000, name, "malloc");
  if (data == NULL) return;
  memset(data, 5, 100000);
  data = memkind_realloc(kind, data, 3000000);
  expect(data != NULL && data[0] == 5 && data[99999] == 5, name, "realloc that grows");
  data = memkind_realloc(NULL, data, 1000);
  expect(data != NULL && data[999] == 5, name, "realloc that shrinks, of a kind it finds itself");
  expect(memkind_detect_kind(data) != NULL, name, "detect_kind");
  expect(memkind_realloc(kind, data, 0) == NULL, name, "realloc to nothing");

  const char* const zeros = memkind_calloc(kind, 1000, 70);
  expect(zeros != NULL && zeros[0] == 0 && memcmp(zeros, zeros + 1, 69999) == 0, name, "calloc");
  memkind_free(NULL, (void*)zeros);

  void* aligned = NULL;
  expect(memkind_posix_memalign(kind, &aligned, 8192, 100) == 0 && (uintptr_t)aligned % 8192 == 0, name, "memalign");
  memkind_free(kind, aligned);
  expect(memkind_posix_memalign(kind, &aligned, 24, 100) == EINVAL, name, "memalign of no power of two");
  expect(memkind_malloc(kind, 0) == NULL, name, "malloc of nothing");
  errno = 0;
  expect(memkind_malloc(kind, SIZE_MAX / 4) == NULL && errno == ENOMEM, name, "malloc of too much");
  expect(memkind_calloc(kind, SIZE_MAX / 2, 3) == NULL, name, "calloc that overflows");
}

static void check_missing(memkind_t kind, const char* name, int prefers) {
  errno = 0;
  void* const data = memkind_malloc(kind, 1000);
  expect(prefers ? data != NULL : data == NULL && errno == ENOMEM, name, "malloc of a kind that is not there");
  memkind_free(kind, data);
}

/* Before any other function of memkind.h is called. */
static void check_each_takes_the_others(void) {
  char* data = hbw_malloc(1000);
  const int is_hbw = hbw_check_available() == 0;
  expect(data != NULL && memkind_detect_kind(data) == (is_hbw ? MEMKIND_HBW : MEMKIND_DEFAULT), "hbw_malloc",
         "its kind");
  memset(data, 6, 1000);
  data = memkind_realloc(NULL, data, 5000);
  expect(data != NULL && data[0] == 6 && data[999] == 6, "hbw_malloc", "memkind_realloc");
  memkind_free(NULL, data);
  const memkind_t kinds[] = {MEMKIND_REGULAR, MEMKIND_INTERLEAVE, MEMKIND_LOWEST_LATENCY_LOCAL, MEMKIND_HUGETLB};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    data = memkind_malloc(kinds[i], 1000);
    if (data == NULL) continue; /* no such memory here */
    memset(data, 7, 1000);
    expect(hbw_malloc_usable_size(data) >= 1000, "memkind_malloc", "hbw_malloc_usable_size");
    data = hbw_realloc(data, 5000);
    expect(data != NULL && data[0] == 7 && data[999] == 7, "memkind_malloc", "hbw_realloc");
    hbw_free(data);
    hbw_free(memkind_malloc(kinds[i], 1000));
  }
  data = memkind_malloc(MEMKIND_LOWEST_LATENCY_LOCAL, 1000);
  expect(data != NULL && memkind_detect_kind(data) == MEMKIND_REGULAR, "LOWEST_LATENCY_LOCAL", "which memory it is");
  hbw_free(data);
}

static atomic_int done = 0;

static void* allocates(void* unused) {
  while (!atomic_load(&done)) memkind_free(NULL, memkind_malloc(MEMKIND_REGULAR, 5000));
  return unused;
}

/* Another thread holds locks of the heap at any moment; the child finds none of them held. */
static void check_forks(void) {
  pthread_t thread;
  expect(pthread_create(&thread, NULL, &allocates, NULL) == 0, "fork", "a thread");
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      void* const data = memkind_malloc(MEMKIND_REGULAR, 5000);
      hbw_free(data);
      _exit(data == NULL);
    }
    int status = -1;
    waitpid(child, &status, 0);
    expect(status == 0, "fork", "a child allocates");
    if (status != 0) break;
  }
  atomic_store(&done, 1);
  pthread_join(thread, NULL);
}

/* More than a node of the described machine has, of which a page is touched. */
static void check_reallocs_that_find_no_room(void) {
  const size_t too_much = (size_t)5 << 30;
  void* const ordinary = malloc(too_much);
  free(ordinary);
  if (getenv("HWLOC_XMLFILE") == NULL || ordinary == NULL || memkind_check_available(MEMKIND_HBW) != 0) return;
  char* const data = memkind_malloc(MEMKIND_HBW_PREFERRED, 1000);
  memset(data, 8, 1000);
  expect(memkind_realloc(MEMKIND_HBW, data, too_much) == NULL, "HBW", "realloc to more than a node has");
  char* const more = memkind_realloc(NULL, data, too_much);
  expect(more != NULL && more[0] == 8 && more[999] == 8, "HBW_PREFERRED", "realloc of a kind it finds itself");
  memkind_free(NULL, more);
}

int main(void) {
  check_each_takes_the_others();
  check_reallocs_that_find_no_room();
  check_forks();
  const struct {
    memkind_t kind;
    const char* name;
    int prefers;
  } all[] = {
      {MEMKIND_DEFAULT, "DEFAULT", 0},
      {MEMKIND_REGULAR, "REGULAR", 0},
      {MEMKIND_INTERLEAVE, "INTERLEAVE", 0},
      {MEMKIND_HBW, "HBW", 0},
      {MEMKIND_HBW_ALL, "HBW_ALL", 0},
      {MEMKIND_HBW_PREFERRED, "HBW_PREFERRED", 1},
      {MEMKIND_HBW_INTERLEAVE, "HBW_INTERLEAVE", 0},
      {MEMKIND_DAX_KMEM, "DAX_KMEM", 0},
      {MEMKIND_DAX_KMEM_ALL, "DAX_KMEM_ALL", 0},
      {MEMKIND_DAX_KMEM_PREFERRED, "DAX_KMEM_PREFERRED", 1},
      {MEMKIND_HIGHEST_CAPACITY, "HIGHEST_CAPACITY", 0},
      {MEMKIND_HIGHEST_BANDWIDTH_LOCAL, "HIGHEST_BANDWIDTH_LOCAL", 0},
      {MEMKIND_LOWEST_LATENCY_LOCAL, "LOWEST_LATENCY_LOCAL", 0},
      {MEMKIND_HBW_HUGETLB, "HBW_HUGETLB", 0},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    const int error = memkind_check_available(all[i].kind);
    printf("%s %d\n", all[i].name, error);
    if (error == MEMKIND_SUCCESS) {
      check_heap(all[i].kind, all[i].name);
    } else {
      check_missing(all[i].kind, all[i].name, all[i].prefers);
    }
  }
  expect(memkind_check_available(MEMKIND_DEFAULT) == 0, "DEFAULT", "is on every machine");
  expect(memkind_check_available(MEMKIND_INTERLEAVE) == 0, "INTERLEAVE", "is on every machine");
  expect(memkind_check_available(MEMKIND_HBW_HUGETLB) == MEMKIND_ERROR_UNAVAILABLE, "HBW_HUGETLB", "is on none");
  expect(memkind_check_available(NULL) == MEMKIND_ERROR_INVALID, "NULL", "is no kind");
  const int hbw = memkind_check_available(MEMKIND_HBW);
  expect(hbw == (hbw_check_available() == 0 ? 0 : MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE), "HBW", "as hbwmalloc.h says");
  void* const plain = malloc(100);
  expect(memkind_detect_kind(plain) == MEMKIND_DEFAULT && memkind_detect_kind(NULL) == NULL, "DEFAULT", "detect_kind");
  memkind_free(NULL, plain);
  void* const spread = memkind_malloc(MEMKIND_INTERLEAVE, 5000000);
  expect(memkind_detect_kind(spread) == MEMKIND_INTERLEAVE, "INTERLEAVE", "detect_kind");
  memkind_free(MEMKIND_INTERLEAVE, spread);
  char message[MEMKIND_ERROR_MESSAGE_SIZE];
  memkind_error_message(MEMKIND_ERROR_MEMTYPE_NOT_AVAILABLE, message, sizeof message);
  expect(strstr(message, "no such memory") != NULL, "message", message);
  expect(memkind_get_version() >= 1000000, "version", "of an interface");
  return failures == 0 ? 0 : 1;
}
