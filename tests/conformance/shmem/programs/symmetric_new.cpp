// SPDX-License-Identifier: Apache-2.0

// A program whose operator new gives symmetric memory while it is to. All PEs allocate alike: the vectors of all can be
// put into. With the name of a call, of which some PEs take more memory than others, or some PEs call alone: the call.
#include <shmem.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

static bool is_symmetric = false, is_cleared = false;

void* operator new(std::size_t bytes) {
  void* const data = !is_symmetric ? std::malloc(bytes) : is_cleared ? shmem_calloc(1, bytes) : shmem_malloc(bytes);
  if (data == nullptr) throw std::bad_alloc();
  return data;
}
void operator delete(void* data) noexcept {
  if (is_symmetric && shmem_ptr(data, shmem_my_pe()) != nullptr)
    shmem_free(data);
  else
    std::free(data);
}
void operator delete(void* data, std::size_t) noexcept { operator delete(data); }

static long sync_words[SHMEM_BARRIER_SYNC_SIZE], lock_word;

static long put_to_next(int me, int n_pes) {
  std::vector<std::vector<long>> all(100, std::vector<long>(10, me));
  shmem_long_p(&all[99][9], me, (me + 1) % n_pes);
  shmem_barrier_all();
  const long came = all[99][9];
  operator delete(operator new (std::size_t{80} << 20));  // more than is given without a look at the machine's memory
  return came;
}

static long call(const char* name, int me) {
  if (std::strcmp(name, "barrier") == 0 && me < 2) shmem_barrier(0, 0, 2, sync_words);
  if (std::strcmp(name, "split") == 0) {
    shmem_team_t team = SHMEM_TEAM_INVALID;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, nullptr, 0, &team);
    if (team != SHMEM_TEAM_INVALID) shmem_team_destroy(team);
  }
  if (std::strcmp(name, "context") == 0 && me == 0) {
    shmem_ctx_t context = SHMEM_CTX_INVALID;
    shmem_ctx_create(0, &context);
    shmem_ctx_destroy(context);
  }
  if (std::strcmp(name, "quiet") == 0 && me == 0) shmem_pe_quiet(&me, 1);
  if (std::strcmp(name, "lock") == 0 && me == 0) {
    shmem_set_lock(&lock_word);
    shmem_clear_lock(&lock_word);
  }
  if (std::strcmp(name, "mistake") == 0 && me == 0) shmem_long_p(reinterpret_cast<long*>(8), 1, 0);
  return 0;
}

int main(int count, char** words) {
  int level = SHMEM_THREAD_SINGLE;
  shmem_init_thread(SHMEM_THREAD_MULTIPLE, &level);
  const int me = shmem_my_pe(), n_pes = shmem_n_pes();
  for (long& word : sync_words) word = SHMEM_SYNC_VALUE;
  shmem_barrier_all();
  is_cleared = count > 2;
  is_symmetric = true;
  const long came = count > 1 ? call(words[1], me) : put_to_next(me, n_pes);
  is_symmetric = false;
  shmem_barrier_all();
  shmem_finalize();
  std::printf("PE %d has %ld\n", me, came);
  return 0;
}
