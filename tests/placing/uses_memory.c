/* SPDX-License-Identifier: Apache-2.0 */

/* A program that knows nothing of Weir, and uses memory in the way that it is told. It prints "right" when all that it
 * wrote was there again.
 *
 * uses_memory WAY...: ways in the order in which they are gone */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
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

/* The compiler cannot tell that nothing else looks at it. */
static char* filled(size_t size, char value) {
  static void* (*volatile allocate)(size_t) = &malloc;
  char* const data = allocate(size);
  expect(data != NULL, "malloc");
  return memset(data, value, size);
}

static void heap(void) {
  char* const data = malloc(32 * MIB);
  memset(data, 1, 32 * MIB);
  expect(malloc_usable_size(data) >= 32 * MIB, "usable size");
  expect(holds(data, 32 * MIB, 1), "malloc");
  free(data); /* and is gone when the program ends */
}

static void aligned(void) {
  const volatile size_t too_large = SIZE_MAX - 10;
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
  expect(pvalloc(too_large) == NULL, "pvalloc of more than there is");
}

/* As the C library does, which takes the next power of two for an alignment. */
static void aligned_oddly(void) {
  void* (*volatile allocate)(size_t, size_t) = &memalign;
  for (size_t alignment = 3; alignment <= 3 * MIB; alignment *= 2) {
    char* const data = allocate(alignment, 3 * MIB);
    expect(data != NULL && (uintptr_t)data % (alignment / 3 * 4) == 0, "memalign");
    memset(data, 2, 3 * MIB);
    expect(holds(data, 3 * MIB, 2), "memalign holds");
    free(data);
  }
}

/* What was freed comes again, and is as new memory. */
static void reuses(void) {
  static void* (*volatile clear)(size_t, size_t) = &calloc;
  static void* (*volatile align)(size_t, size_t) = &aligned_alloc;
  free(filled(2 * MIB, 5));
  char* data = clear(1, 2 * MIB);
  expect(holds(data, 2 * MIB, 0), "calloc of what was freed");
  free(data);
  for (size_t size = MIB; size < 40 * MIB; size += 5 * MIB) free(filled(size, 6));
  data = align(MIB, 3 * MIB);
  expect((uintptr_t)data % MIB == 0, "aligned_alloc of what was freed");
  free(data);
}

static char* inner_pages(char* data) { return data + 4096 - (uintptr_t)data % 4096; }

static int policy_of(void* data) {
  int policy = -1;
  enum { OF_ADDRESS = 2 };
  return syscall(SYS_get_mempolicy, &policy, NULL, 0, data, OF_ADDRESS) == 0 ? policy : -1;
}

static long locked_kilobytes(void) {
  char line[256];
  long found = -1;
  FILE* const file = fopen("/proc/self/status", "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "VmLck: %ld", &found);
  if (file != NULL) fclose(file);
  return found;
}

static int reads_in_child(const char* data) {
  const pid_t child = fork();
  if (child == 0) _exit(*(const volatile char*)data);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* What the program has done with memory that it freed is no matter of what it gets there. */
static void reuses_what_was_changed(void) {
  enum { SIZE = 8 * MIB, PART = SIZE - 2 * 4096 };
  static const int advices[] = {MADV_DONTFORK, MADV_WIPEONFORK};
  for (int i = 0; i < 2; ++i) {
    char* data = filled(SIZE, 1);
    expect(madvise(inner_pages(data), PART, advices[i]) == 0, "madvise");
    free(data);
    data = filled(SIZE, 6);
    expect(reads_in_child(data + MIB) == 6, "a child has the memory of its parent");
    free(data);
  }
  char* data = filled(SIZE, 1);
  const int policy = policy_of(inner_pages(data));
  unsigned long node = 1;
  enum { BIND = 2 };
  const int is_bound = syscall(SYS_mbind, inner_pages(data), MIB, BIND, &node, 64, 0) == 0;
  free(data);
  data = filled(SIZE, 1);
  expect(!is_bound || policy_of(inner_pages(data)) == policy, "the policy of what was freed is not the next one's");
  free(data);
  data = filled(SIZE, 1);
  const int is_locked = mlock(inner_pages(data), 65536) == 0;
  expect(!is_locked || locked_kilobytes() == 64, "mlock");
  free(data);
  expect(!is_locked || locked_kilobytes() == 0, "nothing is locked that was freed");
  data = filled(SIZE, 1);
  expect(holds(data, SIZE, 1), "malloc in a program that has locked memory");
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

/* As NumPy does: the kernel then has two mappings where there was one. */
static void grows_in_parts(void) {
  char* data = malloc(8 * MIB);
  memset(data, 3, 8 * MIB);
  char* const middle = data + 4 * MIB - (uintptr_t)data % 4096;
  expect(madvise(middle, 2 * MIB, MADV_DONTFORK) == 0, "madvise");
  data = realloc(data, 16 * MIB);
  expect(data != NULL && holds(data, 8 * MIB, 3), "realloc of what is in parts");
  data = realloc(data, 3 * MIB);
  expect(data != NULL && holds(data, 3 * MIB, 3), "realloc that shrinks what is in parts");
  free(data);
}

/* All mappings that a process may have are there; the heap has room still. */
static void has_all_mappings(void) {
  enum { MANY = 70000, LIMIT = 2000000 };
  free(filled(1000, 1));
  char* const data = mmap(NULL, MANY * 4096ul, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(data != MAP_FAILED, "mmap");
  size_t page = 1;
  while (page < MANY && mprotect(data + page * 4096, 4096, PROT_READ) == 0) page += 2;
  for (; page < LIMIT; ++page)
    if (mmap(NULL, 4096, page % 2 == 0 ? PROT_NONE : PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) break;
  expect(page < LIMIT, "a limit on mappings (vm.max_map_count) that is below two millions");
  char* const small = malloc(65536);
  expect(small != NULL, "malloc without a mapping to be had");
  memset(small, 4, 65536);
  expect(holds(small, 65536, 4), "malloc without a mapping holds");
  munmap(data, MANY * 4096ul);
  free(small);
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

static void* deep(void* unused) {
  (void)unused;
  volatile char bytes[6 * MIB];
  for (size_t i = 0; i < sizeof bytes; i += 4096) bytes[i] = 1;
  return NULL;
}

/* A thread that has ended when the program does. */
static void stacks(void) {
  pthread_t one;
  expect(pthread_create(&one, NULL, &deep, NULL) == 0 && pthread_join(one, NULL) == 0, "thread");
}

static int deep_in_c(void* unused) { return deep(unused) != NULL; }

static void stacks_in_c(void) {
  thrd_t one;
  int result = 1;
  expect(thrd_create(&one, &deep_in_c, NULL) == thrd_success, "thrd_create");
  expect(thrd_join(one, &result) == thrd_success && result == 0, "what a thread of C gives back");
}

static void* frees(void* data) {
  free(data);
  return NULL;
}

static void exits_with_7(int signal) {
  (void)signal;
  _exit(7);
}

static int end_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void has_small_stacks(void) {
  pthread_attr_t attributes;
  pthread_t one;
  char* const data = malloc(4 * MIB);
  memset(data, 1, 4 * MIB);
  pthread_attr_init(&attributes);
  expect(pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN) == 0, "PTHREAD_STACK_MIN");
  expect(pthread_create(&one, &attributes, &frees, data) == 0 && pthread_join(one, NULL) == 0, "thread");

  const pid_t child = fork();
  if (child == 0) {
    enum { SIZE = 8192 }; /* the page below is not there */
    char* const pages = mmap(NULL, SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t other = {.ss_sp = pages + 4096, .ss_size = SIZE};
    struct sigaction action = {.sa_handler = &exits_with_7, .sa_flags = SA_ONSTACK};
    if (mprotect(pages, 4096, PROT_NONE) != 0 || sigaltstack(&other, NULL) != 0) _exit(1);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
  }
  expect(end_of(child) == 7, "_exit() in a handler on a small stack");
}

/* The handler interrupts free(), at another moment in each child. */
static void ends_in_handler(void) {
  char* const large = filled(256 * MIB, 1);
  char* const data = filled(4 * MIB, 1);
  signal(SIGALRM, &exits_with_7);
  for (int i = 1; i <= 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const struct itimerval soon = {.it_value = {0, i * 700}};
      setitimer(ITIMER_REAL, &soon, NULL);
      free(data);
      for (;;) pause();
    }
    expect(end_of(child) == 7, "_exit() in a handler that interrupts free()");
  }
  free(data);
  free(large);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void* frees_as_it_is_cancelled(void* unused) {
  (void)unused;
  char* const data = filled(4 * MIB, 1);
  pthread_cancel(pthread_self());
  pthread_mutex_lock(&mutex);
  free(data); /* is no cancellation point: the mutex is unlocked */
  pthread_mutex_unlock(&mutex);
  pthread_testcancel();
  return NULL;
}

static void is_cancelled(void) {
  pthread_t one;
  void* result = NULL;
  expect(pthread_create(&one, NULL, &frees_as_it_is_cancelled, NULL) == 0, "thread");
  pthread_join(one, &result);
  expect(result == PTHREAD_CANCELED && pthread_mutex_trylock(&mutex) == 0, "free() is no cancellation point");
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

static int descriptors(void) {
  int count = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (readdir(folder) != NULL) ++count;
  closedir(folder);
  return count;
}

static volatile int goes_on = 1;

static void* frees_again_and_again(void* unused) {
  static void* (*volatile allocate)(size_t) = &malloc;
  enum { SIZE = 34 * MIB }; /* is a mapping of its own, which goes each time */
  while (goes_on) {
    char* const data = allocate(SIZE);
    for (size_t at = 0; at < SIZE; at += SIZE / 8) data[at] = 1;
    free(data);
  }
  return unused;
}

/* No child has a file open that its parent has not. */
static void forks_while_it_frees(void) {
  const int before = descriptors();
  pthread_t one;
  int more = 0;
  expect(pthread_create(&one, NULL, &frees_again_and_again, NULL) == 0, "thread");
  for (int i = 0; i < 100; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(descriptors() != before);
    more += end_of(child);
  }
  goes_on = 0;
  pthread_join(one, NULL);
  expect(more == 0, "the descriptors of a child of fork()");
}

#define ALLOWED(call)                                                                                                  \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                      ALLOWED(write),
                                      ALLOWED(mmap),
                                      ALLOWED(munmap),
                                      ALLOWED(mremap),
                                      ALLOWED(brk),
                                      ALLOWED(exit_group),
                                      ALLOWED(fstat),
                                      ALLOWED(getrandom),
                                      ALLOWED(newfstatat),
                                      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
static struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

/* Where the program forbids itself all system calls but its own. */
static void works_in_a_sandbox(void) {
  char* const before = filled(4 * MIB, 1);
  expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS");
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) exit(77);
  free(filled(8 * MIB, 1));
  expect(holds(before, 4 * MIB, 1), "what was there before");
  free(before);
}

static void works_in_a_sandbox_by_syscall(void) {
  expect(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS");
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0) exit(77);
  free(filled(8 * MIB, 1));
}

/* As programs ask whether the kernel has filters, and one that the kernel refuses. */
static void asks_for_a_sandbox(void) {
  struct sock_fprog empty = {0, filter};
  expect(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != 0, "no filter");
  expect(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &empty) != 0, "an empty filter");
  free(filled(24 * MIB, 1));
}

static void execs(void) { expect(system("exec /bin/true") == 0, "system"); }

static void loads(void) {
  void* const library = dlopen("libm.so.6", RTLD_NOW);
  expect(library != NULL && dlsym(library, "cos") != NULL, "dlopen");
  dlclose(library);
}

static void misses(void) {
  for (int i = 0; i < 2; ++i) expect(dlopen("no-such-library.so", RTLD_NOW) == NULL, "dlopen");
  void* (*volatile allocate)(size_t, size_t) = &memalign; /* the first time in this process */
  void* const data = allocate(64, 1000);
  expect(dlerror() != NULL, "what dlerror() has to tell is still there");
  free(data);
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

/* A terabyte of which little is touched, the last page, too. */
static void maps_sparsely(void) {
  const size_t size = (size_t)1 << 40;
  char* const data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  expect(data != MAP_FAILED, "mmap");
  for (size_t at = 0; at < size; at += (size_t)1 << 30) data[at] = 1;
  data[size - 1] = 1;
  memset(data + ((size_t)1 << 39), 1, 20 * MIB);
}

static void maps_file(void) {
  FILE* const file = tmpfile();
  expect(file != NULL && ftruncate(fileno(file), 64 * MIB) == 0, "a file");
  char* const data = mmap(NULL, 64 * MIB, PROT_READ, MAP_SHARED | MAP_POPULATE, fileno(file), 0);
  expect(data != MAP_FAILED && munmap(data, 64 * MIB) == 0, "mmap of a file");
  fclose(file);
  filled(24 * MIB, 1);
}

static void maps_zeros(void) {
  const char* const data = mmap(NULL, 16 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  expect(holds(data, 16 * MIB, 0), "mmap of zeros");
}

static void maps_to_write(void) {
  memset(mmap(NULL, 16 * MIB, PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 1, 16 * MIB);
}

static int policy_of_thread(void) {
  int policy = -1;
  return syscall(SYS_get_mempolicy, &policy, NULL, 0, NULL, 0) == 0 ? policy : -1;
}

/* 77: this process may not lock so much. */
static void locks_all(void) {
  const int policy = policy_of_thread();
  char* const data = mlockall(MCL_FUTURE) == 0 ? malloc(2 * MIB) : NULL;
  if (data == NULL) exit(77);
  memset(data, 1, 2 * MIB);
  expect(holds(data, 2 * MIB, 1), "malloc in a program that locks all");
  expect(policy_of_thread() == policy, "the thread's policy is what it was");
}

static void limits_files(void) {
  const struct rlimit none = {0, 0};
  expect(setrlimit(RLIMIT_FSIZE, &none) == 0, "setrlimit");
}

static const struct {
  const char* name;
  void (*go)(void);
} ways[] = {{"heap", heap},
            {"aligned", aligned},
            {"grows", grows},
            {"threads", threads},
            {"forks", forks},
            {"execs", execs},
            {"loads", loads},
            {"dies", dies},
            {"statics", statics},
            {"maps", maps},
            {"grows-in-parts", grows_in_parts},
            {"has-all-mappings", has_all_mappings},
            {"stacks", stacks},
            {"stacks-in-c", stacks_in_c},
            {"aligned-oddly", aligned_oddly},
            {"reuses", reuses},
            {"reuses-what-was-changed", reuses_what_was_changed},
            {"forks-while-it-frees", forks_while_it_frees},
            {"works-in-a-sandbox", works_in_a_sandbox},
            {"works-in-a-sandbox-by-syscall", works_in_a_sandbox_by_syscall},
            {"asks-for-a-sandbox", asks_for_a_sandbox},
            {"has-small-stacks", has_small_stacks},
            {"ends-in-handler", ends_in_handler},
            {"is-cancelled", is_cancelled},
            {"misses", misses},
            {"maps-sparsely", maps_sparsely},
            {"maps-file", maps_file},
            {"maps-zeros", maps_zeros},
            {"maps-to-write", maps_to_write},
            {"locks-all", locks_all},
            {"limits-files", limits_files}};

int main(int count, char** words) {
  for (int i = 1; i < count; ++i)
    for (size_t way = 0; way < sizeof ways / sizeof *ways; ++way)
      if (strcmp(words[i], ways[way].name) == 0) ways[way].go();
  puts("right");
  return 0;
}
