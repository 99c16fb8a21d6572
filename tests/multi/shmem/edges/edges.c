// SPDX-License-Identifier: Apache-2.0

// Programs at the edges of what is allowed, or beyond: edges WHAT ARGUMENT... (edges_test.py).
#include <dirent.h>
#include <dlfcn.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static long d[64], s[64], sync_words[SHMEM_REDUCE_SYNC_SIZE];
static int me, pes, next;

static void start(void) {
  shmem_init();
  me = shmem_my_pe();
  pes = shmem_n_pes();
  next = (me + 1) % pes;
}
static void expect(int is_true, const char* what) {
  if (is_true) return;
  fprintf(stderr, "edges: not so: %s\n", what);
  abort();
}

// Prints to a stream that is written by blocks, and to a file, and ends in one of several ways.
static int prints(char** arguments) {
  const char* const how = arguments[0];
  const int status = atoi(arguments[1]);
  char name[32];
  start();
  snprintf(name, sizeof name, "out.%d", me);
  FILE* const file = fopen(name, "w");
  expect(file != NULL, "a file can be written");
  fprintf(file, "result of PE %d\n", me);
  printf("PE %d prints\n", me);
  shmem_barrier_all();
  if (strcmp(how, "global_exit") == 0 && me == 0) shmem_global_exit(status);
  if (strcmp(how, "all_global_exit") == 0) shmem_global_exit(status);
  if (strcmp(how, "exit") == 0 && me == 0) exit(status);
  if (strcmp(how, "return") == 0) return status;
  shmem_barrier_all();
  return 0;
}

// With standard streams that are closed: nothing that is printed gets into the heap.
static int prints_nowhere(char** arguments) {
  static char line[4097];
  const size_t n = 1 << 20;
  (void)arguments;
  start();
  char* const heap = shmem_calloc(n, 1);
  memset(line, 'x', sizeof line - 1);
  for (int i = 0; i < 9000; ++i) fputs(line, stdout);
  fflush(stdout);
  for (int i = 0; i < 100; ++i) shmem_long_atomic_inc(d, next);
  shmem_barrier_all();
  expect(d[0] == 100, "PEs reach one another");
  for (size_t i = 0; i < n; ++i) expect(heap[i] == 0, "what was printed is not in the heap");
  shmem_finalize();
  return 0;
}

// More elements than there are addresses, or a negative number of them.
static int counts(char** arguments) {
  const char* const which = arguments[0];
  const size_t none = (size_t)-1;
  start();
  if (strcmp(which, "put") == 0) shmem_long_put(d + 8, s, ((size_t)1 << 61) + 1, next);
  if (strcmp(which, "get_nbi") == 0) shmem_long_get_nbi(s, d + 8, none, next);
  if (strcmp(which, "iput") == 0) shmem_long_iput(d + 8, s, 1, 1, none, next);
  if (strcmp(which, "iput_in_place") == 0) shmem_long_iput(d + 8, s, 0, 0, none, next);
  if (strcmp(which, "iget") == 0) shmem_long_iget(s, d + 8, 1, 1, none, next);
  if (strcmp(which, "iput_stride") == 0) shmem_long_iput(d + 8, s, 2, 1, ((size_t)1 << 60) + 1, next);
  if (strcmp(which, "ibput") == 0) shmem_long_ibput(d + 8, s, 4, 4, 2, none, next);
  if (strcmp(which, "ibput_stride") == 0) shmem_long_ibput(d + 8, s, (ptrdiff_t)1 << 61, 1, 1, 2, next);
  if (strcmp(which, "ibget_block") == 0) shmem_long_ibget(s, d + 8, 1, 1, (size_t)1 << 61, 2, next);
  if (strcmp(which, "broadcast") == 0) shmem_long_broadcast(SHMEM_TEAM_WORLD, d, s, none, 0);
  if (strcmp(which, "alltoalls") == 0) shmem_long_alltoalls(SHMEM_TEAM_WORLD, d, s, 1, 0, 2);
  if (strcmp(which, "alltoalls_dst") == 0) shmem_long_alltoalls(SHMEM_TEAM_WORLD, d + 8, s, PTRDIFF_MAX, 1, 2);
  if (strcmp(which, "alltoalls_sst") == 0) shmem_long_alltoalls(SHMEM_TEAM_WORLD, d + 8, s, 1, PTRDIFF_MAX / 8 + 2, 2);
  if (strcmp(which, "alltoall") == 0) shmem_long_alltoall(SHMEM_TEAM_WORLD, d, s, (size_t)1 << 60);
  if (strcmp(which, "fcollect") == 0) shmem_long_fcollect(SHMEM_TEAM_WORLD, d, s, (size_t)1 << 60);
  if (strcmp(which, "reduce") == 0) shmem_long_sum_reduce(SHMEM_TEAM_WORLD, d, s, ((size_t)1 << 61) + 1);
  if (strcmp(which, "to_all") == 0) shmem_long_sum_to_all(d, s, -1, 0, 0, pes, NULL, sync_words);
  shmem_finalize();
  return 0;
}

// PE 0 has room for one more team, and a split in rows and columns needs two: it fails on all PEs, however often, and
// succeeds on all when there is room.
static int teams(char** arguments) {
  enum { MOST = 2000, FAILING = 1100 };
  static shmem_team_t made[MOST];
  shmem_team_t row, column;
  int n = 0;
  (void)arguments;
  start();
  while (n < MOST && shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &made[n]) == 0) ++n;
  expect(n < MOST, "there is an end of teams");
  shmem_team_destroy(made[0]);
  for (int i = 0; i < FAILING; ++i) {
    expect(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column) != 0, "a split fails on all PEs");
    expect(row == SHMEM_TEAM_INVALID && column == SHMEM_TEAM_INVALID, "no team is made");
  }
  shmem_team_destroy(made[1]);
  expect(shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column) == 0, "there is room for two");
  expect(shmem_team_n_pes(row) == 2 && shmem_team_n_pes(column) == pes / 2, "a row and a column");
  shmem_team_sync(row);
  shmem_team_sync(column);
  shmem_finalize();
  return 0;
}

// A library for each file of the folder, before the start: the variable of each is symmetric.
static int libraries(char** arguments) {
  DIR* const folder = opendir(arguments[0]);
  int n = 0;
  for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    char path[1024];
    if (strstr(entry->d_name, ".so") == NULL) continue;
    snprintf(path, sizeof path, "%s/%s", arguments[0], entry->d_name);
    expect(dlopen(path, RTLD_NOW | RTLD_LOCAL) != NULL, "a library is loaded");
    ++n;
  }
  closedir(folder);
  start();
  printf("%d libraries\n", n);
  shmem_finalize();
  return 0;
}

// A library is closed between two starts, and other memory lies where its variables were; then it is loaded again.
static int closes(char** arguments) {
  void* library = dlopen(arguments[0], RTLD_NOW | RTLD_LOCAL);
  expect(library != NULL, "a library is loaded");
  long* variable = dlsym(library, "a_large_variable");
  const size_t bytes = 1 << 20;
  start();
  shmem_long_p(variable, 5, next);
  shmem_barrier_all();
  expect(variable[0] == 5, "a library's variable is symmetric");
  shmem_finalize();
  dlclose(library);
  char* const page = (char*)((unsigned long)(variable + 512) / 4096 * 4096);
  char* const memory =
      mmap(page, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  expect(memory == page, "its place is free");
  memset(memory, 7, bytes);
  start();
  for (size_t i = 0; i < bytes; ++i) expect(memory[i] == 7, "memory that is not the library's is as it was");
  expect(shmem_addr_accessible(memory, next) == 0, "it is not symmetric");
  shmem_finalize();
  munmap(memory, bytes);
  library = dlopen(arguments[0], RTLD_NOW | RTLD_LOCAL);
  variable = dlsym(library, "a_large_variable");
  start();
  expect(variable[0] == 1 && variable[1] == 0, "a library that is loaded again is as it is in its file");
  shmem_barrier_all();
  shmem_long_p(variable, 6, next);
  shmem_barrier_all();
  expect(variable[0] == 6, "its variable is symmetric");
  shmem_finalize();
  return 0;
}

// Constants of the program are sources of any size: of collectives and of gets.
static const long table[2000] = {3, 1, 4, 1, 5};
static long room[4 * 2000];
static int constants(char** arguments) {
  const size_t sizes[] = {1, 5, 100, 2000};
  (void)arguments;
  start();
  expect(pes <= 4, "there is room for 4 PEs");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const size_t n = sizes[i], last = n - 1;
    memset(room, 0xff, sizeof room);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, room, table, n, pes - 1);
    expect(room[0] == 3 && room[last] == table[last], "a constant is broadcast");
    shmem_long_fcollect(SHMEM_TEAM_WORLD, room, table, n);
    expect(room[0] == 3 && room[n * pes - 1] == table[last], "constants are collected");
    shmem_long_collect(SHMEM_TEAM_WORLD, room, table, n);
    expect(room[0] == 3 && room[n * pes - 1] == table[last], "constants are collected by their lengths");
    shmem_long_alltoall(SHMEM_TEAM_WORLD, room, table, n / pes);
    if (n >= (size_t)pes) expect(room[0] == table[me * (n / pes)], "constants go from all to all");
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, room, table, n);
    expect(room[0] == 3 * pes && room[last] == pes * table[last], "constants are summed");
    shmem_long_sum_inscan(SHMEM_TEAM_WORLD, room, table, n);
    expect(room[0] == 3 * (me + 1), "constants are summed up to this PE");
    shmem_barrier_all();
    memset(room, 0xff, sizeof room);
    shmem_long_get(room, table, n, next);
    expect(room[0] == 3 && room[last] == table[last], "a get reads constants");
    shmem_long_get_nbi(room + n, table, n, next);
    shmem_quiet();
    expect(room[n] == 3, "a get without waiting reads constants");
    shmem_barrier_all();
  }
  expect(shmem_long_g(table + 2, next) == 4, "one constant is read");
  shmem_long_iget(room, table + 4, 1, -2, 3, next);
  expect(room[0] == 5 && room[1] == 4 && room[2] == 3, "constants are read at distances");
  shmem_finalize();
  return 0;
}
static int constant_dest(char** arguments) {
  (void)arguments;
  start();
  shmem_long_p((long*)table, 1, next);
  shmem_finalize();
  return 0;
}

// A heap of 64 MiB.
static int grows(char** arguments) {
  const size_t mib = 1 << 20;
  (void)arguments;
  start();
  char* one = shmem_malloc(32 * mib);
  one[0] = one[32 * mib - 1] = 7;
  expect(shmem_realloc(one, 48 * mib) == one, "a block takes what is free behind it");
  expect(one[0] == 7 && one[32 * mib - 1] == 7, "the contents are there");
  char* behind = shmem_malloc(16 * mib);
  expect(behind != NULL, "the rest is free");
  expect(shmem_realloc(one, 56 * mib) == NULL && one[0] == 7, "a block for which there is no room stays");
  expect(shmem_realloc(one, 32 * mib) == one, "a block gets smaller where it is");
  char* middle = shmem_malloc(16 * mib);
  expect(middle == one + 32 * mib, "what it does not need is free");
  shmem_free(one);
  middle[0] = 1;
  middle[9 * mib] = 2;
  middle[16 * mib - 1] = 3;
  one = shmem_realloc(middle, 40 * mib);
  expect(one != NULL && one < middle, "a block moves into room that includes its own");
  expect(one[0] == 1 && one[9 * mib] == 2 && one[16 * mib - 1] == 3, "it takes its contents along");
  shmem_free(one);
  shmem_free(behind);
  char* small = shmem_malloc(16);
  memcpy(small, "fifteen letters", 16);
  one = shmem_realloc(small, 64 * mib);
  expect(one != NULL && strcmp(one, "fifteen letters") == 0, "a small block becomes the whole heap");
  shmem_long_p((long*)one + mib, me, next);
  shmem_barrier_all();
  expect(((long*)one)[mib] == (me + pes - 1) % pes, "it is symmetric");
  one = shmem_realloc(one, 16);
  expect(one != NULL && strcmp(one, "fifteen letters") == 0, "and small again");
  expect(shmem_malloc(32 * mib) != NULL, "the rest is free again");
  shmem_finalize();
  return 0;
}

// What was destroyed or freed before.
static int destroyed(char** arguments) {
  const char* const which = arguments[0];
  shmem_team_t team;
  shmem_ctx_t ctx;
  start();
  shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, pes, NULL, 0, &team);
  shmem_team_create_ctx(team, 0, &ctx);
  shmem_ctx_destroy(ctx);
  shmem_team_destroy(team);
  if (strcmp(which, "team") == 0) shmem_team_my_pe(team);
  if (strcmp(which, "sync") == 0) shmem_team_sync(team);
  if (strcmp(which, "team twice") == 0) shmem_team_destroy(team);
  if (strcmp(which, "context") == 0) shmem_ctx_long_p(ctx, d, 1, next);
  long* const block = shmem_malloc(1000);
  shmem_free(block);
  if (strcmp(which, "block") == 0) expect(shrealloc(block, 2000) == NULL, "a block that was freed is not had again");
  shmem_finalize();
  return 0;
}

// A PE starts a program, which joins no job: itself, with the words that it is given.
static int starts(char** arguments) {
  start();
  const int status = me == 0 ? system(arguments[0]) : 0;
  shmem_barrier_all();
  if (me == 0) printf("status %d\n", status);
  shmem_finalize();
  return 0;
}

static int closes_descriptors(char** arguments) {
  (void)arguments;
  start();
  for (int descriptor = 3; descriptor < 1024; ++descriptor) close(descriptor);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}

// An array begins 8 bytes before the end of the heap, and a collective is given more bytes of it.
static int beyond(char** arguments) {
  static char other[1 << 20];
  const char* const which = arguments[0];
  const size_t heap_bytes = 1 << 20, n = (size_t)atol(arguments[1]);
  start();
  char* const heap = shmem_malloc(heap_bytes);
  expect(heap != NULL, "one block is the whole heap");
  char* const end = heap + heap_bytes - 8;
  shmem_barrier_all();
  if (strcmp(which, "broadcast") == 0) shmem_broadcastmem(SHMEM_TEAM_WORLD, end, other, n, 0);
  if (strcmp(which, "broadcast_source") == 0) shmem_broadcastmem(SHMEM_TEAM_WORLD, other, end, n, 0);
  if (strcmp(which, "broadcast32") == 0) shmem_broadcast32(end, other, n / 4, 0, 0, 0, pes, sync_words);
  if (strcmp(which, "collect") == 0) shmem_collectmem(SHMEM_TEAM_WORLD, end, other, n / 2);
  if (strcmp(which, "fcollect") == 0) shmem_fcollectmem(SHMEM_TEAM_WORLD, end, other, n / 2);
  if (strcmp(which, "fcollect_source") == 0) shmem_fcollectmem(SHMEM_TEAM_WORLD, other, end, n);
  if (strcmp(which, "fcollect64") == 0) shmem_fcollect64(end, other, n / 16, 0, 0, pes, sync_words);
  if (strcmp(which, "alltoall") == 0) shmem_alltoallmem(SHMEM_TEAM_WORLD, end, other, n / 2);
  if (strcmp(which, "alltoalls") == 0) shmem_alltoallsmem(SHMEM_TEAM_WORLD, end, other, (ptrdiff_t)n - 1, 1, 1);
  if (strcmp(which, "alltoalls_source") == 0) shmem_alltoallsmem(SHMEM_TEAM_WORLD, other, end, 1, (ptrdiff_t)n - 1, 1);
  if (strcmp(which, "reduce") == 0) shmem_uchar_sum_reduce(SHMEM_TEAM_WORLD, (void*)end, (void*)other, n);
  if (strcmp(which, "inscan") == 0) shmem_uchar_sum_inscan(SHMEM_TEAM_WORLD, (void*)end, (void*)other, n);
  if (strcmp(which, "to_all") == 0)
    shmem_long_max_to_all((long*)(void*)end, (long*)(void*)other, (int)(n / 8), 0, 0, pes, NULL, sync_words);
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}

// A plain store of one PE, some pages behind its heap.
static int stores_beyond(char** arguments) {
  const size_t heap_bytes = 1 << 20;
  (void)arguments;
  start();
  char* const heap = shmem_malloc(heap_bytes);
  shmem_barrier_all();
  if (me == 0) *(volatile char*)(heap + heap_bytes + 4096) = 1;
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}

// Collects of nothing, of parts that some PEs have none of, and of different sources.
static int collects(char** arguments) {
  enum { MOST = 1000 };
  static long sources[4][MOST], all[4 * MOST];
  static const long constants[2][MOST] = {{7}, {8}};
  const size_t counts[] = {1, 29, 30, MOST};
  (void)arguments;
  start();
  shmem_long_collect(SHMEM_TEAM_WORLD, NULL, NULL, 0);
  shmem_long_collect(SHMEM_TEAM_WORLD, NULL, s, 0);
  shmem_collect64(NULL, NULL, 0, 0, 0, pes, sync_words);
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
    const size_t n = counts[i];
    for (int pe = 0; pe < 4; ++pe) {
      for (size_t j = 0; j < n; ++j) sources[pe][j] = pe * 10 + me;
    }
    shmem_barrier_all();
    shmem_long_collect(SHMEM_TEAM_WORLD, all, me == 1 ? NULL : sources[me], me == 1 ? 0 : n);
    for (int pe = 0; pe < pes; ++pe) {
      const size_t first = (size_t)(pe < 1 ? pe : pe - 1) * n;
      expect(pe == 1 || (all[first] == pe * 11 && all[first + n - 1] == pe * 11), "each gives its own source");
    }
    shmem_barrier_all();
    shmem_long_collect(SHMEM_TEAM_WORLD, all, constants[me % 2], n);
    for (int pe = 0; pe < pes; ++pe) expect(all[(size_t)pe * n] == 7 + pe % 2, "each gives its own constant");
  }
  shmem_barrier_all();
  shmem_finalize();
  return 0;
}

static int private_collect(char** arguments) {
  static long all[4000];
  long mine[1000] = {0};
  (void)arguments;
  start();
  shmem_long_collect(SHMEM_TEAM_WORLD, all, me == 1 ? mine : all + 2000, 1000);
  shmem_finalize();
  return 0;
}

static int sessions(char** arguments) {
  (void)arguments;
  start();
  shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, NULL, 0);
  shmem_ctx_session_stop(SHMEM_CTX_INVALID);
  shmem_ctx_session_start(SHMEM_CTX_DEFAULT, 0, NULL, 0);
  shmem_ctx_session_stop(SHMEM_CTX_DEFAULT);
  shmem_finalize();
  return 0;
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*body)(char** arguments);
    int arguments;
  } all[] = {{"prints", prints, 2},       {"prints_nowhere", prints_nowhere, 0},
             {"counts", counts, 1},       {"teams", teams, 0},
             {"libraries", libraries, 1}, {"closes", closes, 1},
             {"constants", constants, 0}, {"constant_dest", constant_dest, 0},
             {"grows", grows, 0},         {"destroyed", destroyed, 1},
             {"starts", starts, 1},       {"closes_descriptors", closes_descriptors, 0},
             {"beyond", beyond, 2},       {"stores_beyond", stores_beyond, 0},
             {"collects", collects, 0},   {"private_collect", private_collect, 0},
             {"sessions", sessions, 0}};
  for (size_t i = 0; argc > 1 && i < sizeof all / sizeof *all; ++i) {
    if (strcmp(argv[1], all[i].name) == 0 && argc == 2 + all[i].arguments) return all[i].body(argv + 2);
  }
  fprintf(stderr, "edges WHAT ARGUMENT...: see edges_test.py\n");
  return 2;
}
