/* SPDX-License-Identifier: Apache-2.0 */

/* A program that knows nothing of Weir, and uses memory in the way that it is told. It prints "right" when all that it
 * wrote was there again.
 *
 * uses_memory WAY...: ways in the order in which they are gone */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static char static_data[8 * MIB];

static void expect(int condition, const char* what) {
  if (condition) return;
  fprintf(stderr, "wrong: %s\n", what);
  exit(1);
}

static int holds(const char* data, size_t size, char value) {
  return data[0] == value && memcmp(data, data + 1, size - 1) == 0;
}

static void heap(void) {
  char* const data = malloc(32 * MIB);
  memset(data, 1, 32 * MIB);
  expect(malloc_usable_size(data) >= 32 * MIB, "usable size");
  expect(holds(data, 32 * MIB, 1), "malloc");
  free(data); /* and is gone when the program ends */
}

static void aligned(void) {
  void* data = NULL;
  for (size_t alignment = 8; alignment <= 4 * MIB; alignment *= 8) {
    expect(posix_memalign(&data, alignment, 3 * MIB + 5) == 0 && (uintptr_t)data % alignment == 0, "posix_memalign");
    memset(data, 2, 3 * MIB + 5);
    expect(holds(data, 3 * MIB + 5, 2), "posix_memalign holds");
    free(data);
    data = aligned_alloc(alignment, 8 * MIB);
    expect(data != NULL && (uintptr_t)data % alignment == 0, "aligned_alloc");
    free(data);
  }
  expect(posix_memalign(&data, 24, MIB) != 0, "posix_memalign refuses what is no power of two");
  data = valloc(2 * MIB);
  expect((uintptr_t)data % 4096 == 0, "valloc");
  free(data);
}

static void grows(void) {
  const volatile size_t too_many = SIZE_MAX / 2;
  char* data = malloc(100);
  memset(data, 3, 100);
  for (size_t size = 1000; size <= 40 * MIB; size *= 7) {
    data = realloc(data, size);
    expect(holds(data, 100, 3), "realloc keeps while it grows");
    memset(data, 3, size);
  }
  data = realloc(data, 5 * MIB);
  expect(holds(data, 5 * MIB, 3), "realloc keeps while it shrinks");
  data = realloc(data, 50);
  expect(holds(data, 50, 3), "realloc keeps when it becomes small");
  free(data);
  char* const zeros = calloc(3, 2 * MIB);
  expect(holds(zeros, 6 * MIB, 0), "calloc");
  free(zeros);
  expect(calloc(too_many, 3) == NULL, "calloc that overflows");
  expect(realloc(malloc(2 * MIB), 0) == NULL, "realloc to nothing");
}

static void* thread(void* number) {
  volatile char deep[MIB / 2];
  memset((char*)deep, 4, sizeof deep);
  for (int i = 0; i < 200; ++i) {
    char* const data = malloc(MIB + (size_t)i * 4096);
    data[0] = data[MIB] = (char)(intptr_t)number;
    char* const small = malloc((size_t)i + 1);
    expect(data[0] == (char)(intptr_t)number && data[MIB] == data[0], "a thread's own memory");
    free(data);
    free(small);
  }
  return deep[0] == 4 ? number : NULL;
}

static void threads(void) {
  pthread_t all[4];
  for (intptr_t i = 0; i < 4; ++i) expect(pthread_create(&all[i], NULL, &thread, (void*)(i + 1)) == 0, "thread");
  for (intptr_t i = 0; i < 4; ++i) {
    void* result = NULL;
    pthread_join(all[i], &result);
    expect(result == (void*)(i + 1), "what a thread gives back");
  }
}

static void forks(void) {
  char* const data = malloc(4 * MIB);
  memset(data, 5, 4 * MIB);
  const pid_t child = fork();
  if (child == 0) {
    free(realloc(data, 9 * MIB));
    char* const own = malloc(2 * MIB);
    memset(own, 6, 2 * MIB);
    _exit(holds(own, 2 * MIB, 6) ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  expect(status == 0 && holds(data, 4 * MIB, 5), "fork");
  free(data);
}

static void execs(void) { expect(system("exec /bin/true") == 0, "system"); }

static void loads(void) {
  void* const library = dlopen("libm.so.6", RTLD_NOW);
  expect(library != NULL && dlsym(library, "cos") != NULL, "dlopen");
  dlclose(library);
}

static void dies(void) { abort(); }

static void statics(void) {
  memset(static_data, 7, sizeof static_data);
  expect(holds(static_data, sizeof static_data, 7), "static data");
}

static void maps(void) {
  char* const data = mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(data, 8, 16 * MIB);
  expect(holds(data, 16 * MIB, 8) && munmap(data, 16 * MIB) == 0, "mmap");
}

static const struct {
  const char* name;
  void (*go)(void);
} ways[] = {{"heap", heap},   {"aligned", aligned}, {"grows", grows}, {"threads", threads}, {"forks", forks},
            {"execs", execs}, {"loads", loads},     {"dies", dies},   {"statics", statics}, {"maps", maps}};

int main(int count, char** words) {
  for (int i = 1; i < count; ++i)
    for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way)
      if (strcmp(words[i], ways[way].name) == 0) ways[way].go();
  puts("right");
  return 0;
}
