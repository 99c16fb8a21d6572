// SPDX-License-Identifier: Apache-2.0

// Collectives of active sets (deprecated): PE_start, PE_start + 2^logPE_stride, ... of which there are PE_size. pSync
// tells sets apart; neither it nor pWrk is written.
#include "shmem/group/active_set.hpp"

#include "shmem/api/arrays.hpp"
#include "shmem/api/checks.hpp"
#include "shmem/api/together.hpp"
#include "shmem/group/open.hpp"

namespace weir::shmem::api {
namespace {

// The group of a set. While calls are checked, `check` comes after it, with the group.
template <class Check>
Group& checked_group(const ActiveSet& set, const char* kind, Check&& check) {
  if (is_checked()) check_set(set, kind);
  Group& group = group_of(set);
  if (is_checked()) check(group, Members{.set = &set});
  return group;
}

template <class T>
void do_broadcast(void* dest, const void* source, std::size_t nelems, int root, int start, int log_stride, int size,
                  long* sync) {
  Group& group =
      checked_group(ActiveSet{start, log_stride, size, sync}, "broadcast", [&](Group& found, const Members& members) {
        check_broadcast(found, members, {dest, source, nelems, sizeof(T)}, root);
      });
  if (root < 0 || root >= size) fail_root(root, group.size());
  broadcast(group, checked_broadcast<T>(group, {dest, source, nelems, static_cast<unsigned>(root), false}));
}

// clang-format off
#define WEIR_SHMEM_SET_COLLECT(NAME, HOW)                                                                            \
  template <class T>                                                                                                 \
  void do##NAME(void* dest, const void* source, std::size_t nelems, int start, int log_stride, int size,             \
                long* sync) {                                                                                        \
    Group& group = checked_group(ActiveSet{start, log_stride, size, sync}, #HOW,                                     \
                                 [&](Group& found, const Members& members) {                                         \
                                   check##NAME(found, members, {dest, source, nelems, sizeof(T)});                   \
                                 });                                                                                 \
    HOW(group, dest, source, HOW##_bytes<T>(group, dest, source, nelems));                                           \
  }
WEIR_SHMEM_SET_COLLECT(_collect, collect)
WEIR_SHMEM_SET_COLLECT(_fcollect, fcollect)
WEIR_SHMEM_SET_COLLECT(_alltoall, alltoall)
// clang-format on

template <class T>
void do_alltoalls(void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst, std::size_t nelems, int start,
                  int log_stride, int size, long* sync) {
  Group& group =
      checked_group(ActiveSet{start, log_stride, size, sync}, "alltoalls", [&](Group& found, const Members& members) {
        check_alltoalls(found, members, {dest, source, nelems, sizeof(T)}, dst, sst);
      });
  const Strided what{dest, source, dst, sst, nelems, sizeof(T)};
  check_ends(group, what);
  alltoalls(group, what);
}

void reduce_set(const ActiveSet& set, const Reduction& what, std::size_t bytes) {
  Group& group =
      checked_group(set, "reduce", [&](Group& found, const Members& members) { check_reduce(found, members, what); });
  check_end(what.dest, bytes);
  check_end(what.source, bytes);
  reduce(group, what);
}
Group& group_to_meet(const ActiveSet& set, const char* kind) {
  return checked_group(set, kind, [&](Group& group, const Members& members) { check_call(group, members, kind); });
}

// clang-format off
#define WEIR_SHMEM_SET_REDUCE(NAME, OP)                                                                              \
  template <class T>                                                                                                 \
  void do##NAME(T* dest, const T* source, int n, int start, int log_stride, int size, T*, long* sync) {              \
    const std::size_t count = count_of(n);                                                                           \
    reduce_set({start, log_stride, size, sync}, {dest, source, count, OP, kTypeOf<T>}, count * sizeof(T));           \
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
  barrier(api::group_to_meet({PE_start, logPE_stride, PE_size, pSync}, "barrier"));
}
WEIR_SHMEM_ENTRY(void, shmem_sync, (int PE_start, int logPE_stride, int PE_size, long* pSync)) {
  sync(api::group_to_meet({PE_start, logPE_stride, PE_size, pSync}, "sync"));
}

}  // namespace weir::shmem
