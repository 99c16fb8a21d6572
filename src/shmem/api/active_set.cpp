// SPDX-License-Identifier: Apache-2.0

// Collectives of active sets (deprecated): PE_start, PE_start + 2^logPE_stride, ... of which there are PE_size. pSync
// tells sets apart; neither it nor pWrk is written.
#include "shmem/group/active_set.hpp"

#include "shmem/api/together.hpp"
#include "shmem/group/open.hpp"

namespace weir::shmem::api {
namespace {

template <class T>
void do_broadcast(void* dest, const void* source, std::size_t nelems, int root, int start, int log_stride, int size,
                  long* sync) {
  Group& group = group_of({start, log_stride, size, sync});
  if (root < 0 || root >= size) fail_root(root, group.size());
  broadcast(group, {dest, source, nelems * sizeof(T), static_cast<unsigned>(root), false});
}
template <class T>
void do_collect(void* dest, const void* source, std::size_t nelems, int start, int log_stride, int size, long* sync) {
  collect(group_of({start, log_stride, size, sync}), dest, source, nelems * sizeof(T));
}
template <class T>
void do_fcollect(void* dest, const void* source, std::size_t nelems, int start, int log_stride, int size, long* sync) {
  fcollect(group_of({start, log_stride, size, sync}), dest, source, nelems * sizeof(T));
}
template <class T>
void do_alltoall(void* dest, const void* source, std::size_t nelems, int start, int log_stride, int size, long* sync) {
  alltoall(group_of({start, log_stride, size, sync}), dest, source, nelems * sizeof(T));
}
template <class T>
void do_alltoalls(void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems, int start,
                  int log_stride, int size, long* sync) {
  alltoalls(group_of({start, log_stride, size, sync}), {dest, source, dst, sst, nelems, sizeof(T)});
}

// A negative number reduces nothing.
// clang-format off
#define WEIR_SHMEM_SET_REDUCE(NAME, OP)                                                                              \
  template <class T>                                                                                                 \
  void do##NAME(T* dest, const T* source, int n, int start, int log_stride, int size, T*, long* sync) {                   \
    reduce(group_of({start, log_stride, size, sync}),                                                                      \
           {dest, source, n > 0 ? static_cast<std::size_t>(n) : 0, OP, kTypeOf<T>});                                 \
  }
WEIR_SHMEM_SET_REDUCE(_and_to_all, Op::bit_and)
WEIR_SHMEM_SET_REDUCE(_or_to_all, Op::bit_or)
WEIR_SHMEM_SET_REDUCE(_xor_to_all, Op::bit_xor)
WEIR_SHMEM_SET_REDUCE(_max_to_all, Op::max)
WEIR_SHMEM_SET_REDUCE(_min_to_all, Op::min)
WEIR_SHMEM_SET_REDUCE(_sum_to_all, Op::sum)
WEIR_SHMEM_SET_REDUCE(_prod_to_all, Op::prod)
// clang-format on

}  // namespace
}  // namespace weir::shmem::api

WEIR_SHMEM_OLD_COLLECTIVE(WEIR_SHMEM_DEFINE_WIDE, 32, 4)
WEIR_SHMEM_OLD_COLLECTIVE(WEIR_SHMEM_DEFINE_WIDE, 64, 8)
WEIR_SHMEM_TO_ALL_BITS(WEIR_SHMEM_OLD_BITS, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_TO_ALL_MINMAX(WEIR_SHMEM_OLD_MINMAX, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_TO_ALL_SUM(WEIR_SHMEM_OLD_SUM, WEIR_SHMEM_DEFINE_TYPED)

namespace weir::shmem {

WEIR_SHMEM_ENTRY(void, shmem_barrier, (int PE_start, int logPE_stride, int PE_size, long* pSync)) {
  barrier(group_of({PE_start, logPE_stride, PE_size, pSync}));
}
WEIR_SHMEM_ENTRY(void, shmem_sync, (int PE_start, int logPE_stride, int PE_size, long* pSync)) {
  sync(group_of({PE_start, logPE_stride, PE_size, pSync}));
}

}  // namespace weir::shmem
