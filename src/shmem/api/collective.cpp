// SPDX-License-Identifier: Apache-2.0

// Collectives of teams.
#include "shmem/group/collective.hpp"

#include "shmem/api/together.hpp"
#include "shmem/group/open.hpp"

namespace weir::shmem::api {
namespace {

// Ends the program when the team has no such PE.
unsigned member(const Group& group, int root) {
  if (root < 0 || static_cast<unsigned>(root) >= group.size()) fail_root(root, group.size());
  return static_cast<unsigned>(root);
}

// 0, or -1 for SHMEM_TEAM_INVALID.
template <class Do>
int with_group(shmem_team_t team, Do&& act) {
  Group* const group = group_in(team);
  if (group == nullptr) return -1;
  act(*group);
  return 0;
}

template <class T>
int do_broadcast(shmem_team_t team, void* dest, const void* source, std::size_t nelems, int root) {
  return with_group(team, [&](Group& group) {
    broadcast(group, {dest, source, nelems * sizeof(T), member(group, root), true});
  });
}
template <class T>
int do_collect(shmem_team_t team, void* dest, const void* source, std::size_t nelems) {
  return with_group(team, [&](Group& group) { collect(group, dest, source, nelems * sizeof(T)); });
}
template <class T>
int do_fcollect(shmem_team_t team, void* dest, const void* source, std::size_t nelems) {
  return with_group(team, [&](Group& group) { fcollect(group, dest, source, nelems * sizeof(T)); });
}
template <class T>
int do_alltoall(shmem_team_t team, void* dest, const void* source, std::size_t nelems) {
  return with_group(team, [&](Group& group) { alltoall(group, dest, source, nelems * sizeof(T)); });
}
template <class T>
int do_alltoalls(shmem_team_t team, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                 std::size_t nelems) {
  return with_group(team, [&](Group& group) { alltoalls(group, {dest, source, dst, sst, nelems, sizeof(T)}); });
}

// clang-format off
#define WEIR_SHMEM_TEAM_REDUCE(NAME, HOW, OP)                                                      \
  template <class T>                                                                               \
  int do##NAME(shmem_team_t team, T* dest, const T* source, std::size_t n) {                       \
    return with_group(team, [&](Group& group) { HOW(group, {dest, source, n, OP, kTypeOf<T>}); }); \
  }
WEIR_SHMEM_TEAM_REDUCE(_and_reduce, reduce, Op::bit_and)
WEIR_SHMEM_TEAM_REDUCE(_or_reduce, reduce, Op::bit_or)
WEIR_SHMEM_TEAM_REDUCE(_xor_reduce, reduce, Op::bit_xor)
WEIR_SHMEM_TEAM_REDUCE(_max_reduce, reduce, Op::max)
WEIR_SHMEM_TEAM_REDUCE(_min_reduce, reduce, Op::min)
WEIR_SHMEM_TEAM_REDUCE(_sum_reduce, reduce, Op::sum)
WEIR_SHMEM_TEAM_REDUCE(_prod_reduce, reduce, Op::prod)
WEIR_SHMEM_TEAM_REDUCE(_sum_inscan, inclusive_scan, Op::sum)
WEIR_SHMEM_TEAM_REDUCE(_sum_exscan, exclusive_scan, Op::sum)
// clang-format on

}  // namespace
}  // namespace weir::shmem::api

WEIR_SHMEM_RMA_TYPES(WEIR_SHMEM_COLLECTIVE, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_REDUCE_BITS_TYPES(WEIR_SHMEM_REDUCE_BITS, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_RMA_TYPES(WEIR_SHMEM_REDUCE_MINMAX, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_REDUCE_SUM_TYPES(WEIR_SHMEM_REDUCE_SUM, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_REDUCE_SUM_TYPES(WEIR_SHMEM_SCAN, WEIR_SHMEM_DEFINE_TYPED)

namespace weir::shmem {
using Byte = api::Element<1>;

WEIR_SHMEM_ENTRY(void, shmem_barrier_all, (void)) { barrier(api::world_group()); }
WEIR_SHMEM_ENTRY(void, shmem_sync_all, (void)) { sync(api::world_group()); }
WEIR_SHMEM_ENTRY(int, shmem_team_sync, (shmem_team_t team)) {
  return api::with_group(team, [](Group& group) { sync(group); });
}
WEIR_SHMEM_ENTRY(int, shmem_broadcastmem,
                 (shmem_team_t team, void* dest, const void* source, std::size_t nelems, int PE_root)) {
  return api::do_broadcast<Byte>(team, dest, source, nelems, PE_root);
}
WEIR_SHMEM_ENTRY(int, shmem_collectmem, (shmem_team_t team, void* dest, const void* source, std::size_t nelems)) {
  return api::do_collect<Byte>(team, dest, source, nelems);
}
WEIR_SHMEM_ENTRY(int, shmem_fcollectmem, (shmem_team_t team, void* dest, const void* source, std::size_t nelems)) {
  return api::do_fcollect<Byte>(team, dest, source, nelems);
}
WEIR_SHMEM_ENTRY(int, shmem_alltoallmem, (shmem_team_t team, void* dest, const void* source, std::size_t nelems)) {
  return api::do_alltoall<Byte>(team, dest, source, nelems);
}
WEIR_SHMEM_ENTRY(int, shmem_alltoallsmem,
                 (shmem_team_t team, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                  std::size_t nelems)) {
  return api::do_alltoalls<Byte>(team, dest, source, dst, sst, nelems);
}

}  // namespace weir::shmem
