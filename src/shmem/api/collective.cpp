// SPDX-License-Identifier: Apache-2.0

// Collectives of teams.
#include "shmem/group/collective.hpp"

#include "shmem/api/arrays.hpp"
#include "shmem/api/checks.hpp"
#include "shmem/api/together.hpp"
#include "shmem/group/open.hpp"

namespace weir::shmem::api {
namespace {

// Ends the program when the team has no such PE.
unsigned member(const Group& group, int root) {
  if (root < 0 || static_cast<unsigned>(root) >= group.size()) fail_root(root, group.size());
  return static_cast<unsigned>(root);
}

// 0, or -1 for SHMEM_TEAM_INVALID. `check` comes before it, while calls are checked.
template <class Check, class Do>
int with_group(shmem_team_t team, Check&& check, Do&& act) {
  Group* const group = group_in(team);
  if (group == nullptr) return -1;
  if (is_checked()) check(*group, Members{team});
  act(*group);
  return 0;
}

template <class T>
int do_broadcast(shmem_team_t team, void* dest, const void* source, std::size_t nelems, int root) {
  return with_group(
      team,
      [&](Group& group, const Members& members) {
        check_broadcast(group, members, {dest, source, nelems, sizeof(T)}, root);
      },
      [&](Group& group) {
        broadcast(group, checked_broadcast<T>(group, {dest, source, nelems, member(group, root), true}));
      });
}

// clang-format off
#define WEIR_SHMEM_TEAM_COLLECT(NAME, HOW)                                                               \
  template <class T>                                                                                     \
  int do##NAME(shmem_team_t team, void* dest, const void* source, std::size_t nelems) {                  \
    return with_group(                                                                                   \
        team,                                                                                            \
        [&](Group& group, const Members& members) {                                                      \
          check##NAME(group, members, {dest, source, nelems, sizeof(T)});                                \
        },                                                                                               \
        [&](Group& group) {                                                                              \
          HOW(group, dest, source, HOW##_bytes<T>(group, dest, source, nelems));                         \
        });                                                                                              \
  }
WEIR_SHMEM_TEAM_COLLECT(_collect, collect)
WEIR_SHMEM_TEAM_COLLECT(_fcollect, fcollect)
WEIR_SHMEM_TEAM_COLLECT(_alltoall, alltoall)
// clang-format on

template <class T>
int do_alltoalls(shmem_team_t team, void* dest, const void* source, std::ptrdiff_t dst, std::ptrdiff_t sst,
                 std::size_t nelems) {
  return with_group(
      team,
      [&](Group& group, const Members& members) {
        check_alltoalls(group, members, {dest, source, nelems, sizeof(T)}, dst, sst);
      },
      [&](Group& group) {
        const Strided what{dest, source, dst, sst, nelems, sizeof(T)};
        check_ends(group, what);
        alltoalls(group, what);
      });
}

struct How {
  const char* kind;
  void (*reduce)(Group&, const Reduction&);
};
int reduce_team(shmem_team_t team, const Reduction& what, std::size_t bytes, const How& how) {
  return with_group(
      team, [&](Group& group, const Members& members) { check_reduce(group, members, what, how.kind); },
      [&](Group& group) {
        check_end(what.dest, bytes);
        check_end(what.source, bytes);
        how.reduce(group, what);
      });
}

// clang-format off
#define WEIR_SHMEM_TEAM_REDUCE(NAME, HOW, OP)                                                      \
  template <class T>                                                                               \
  int do##NAME(shmem_team_t team, T* dest, const T* source, std::size_t n) {                       \
    return reduce_team(team, {dest, source, n, OP, kTypeOf<T>}, bytes_of<T>(n), {#HOW, HOW});      \
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

[[gnu::noinline]] void observed_barrier_world() {
  if (is_checked()) check_call(world_group(), {SHMEM_TEAM_WORLD}, "barrier");
  barrier(world_group());
}
void barrier_world() {
  if (world().is_checked || world().is_traced) [[unlikely]]
    return observed_barrier_world();
  barrier_unrecorded(world_group());
}
int sync_team(shmem_team_t team) {
  return with_group(
      team, [](Group& group, const Members& members) { check_call(group, members, "sync"); },
      [](Group& group) { sync(group); });
}

}  // namespace
}  // namespace weir::shmem::api

WEIR_SHMEM_RMA_TYPES(WEIR_SHMEM_COLLECTIVE, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_REDUCE_BITS_TYPES(WEIR_SHMEM_REDUCE_BITS, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_RMA_TYPES(WEIR_SHMEM_REDUCE_MINMAX, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_REDUCE_SUM_TYPES(WEIR_SHMEM_REDUCE_SUM, WEIR_SHMEM_DEFINE_TYPED)
WEIR_SHMEM_REDUCE_SUM_TYPES(WEIR_SHMEM_SCAN, WEIR_SHMEM_DEFINE_TYPED)

namespace weir::shmem {
using Byte = api::Element<1>;

WEIR_SHMEM_ENTRY(void, shmem_barrier_all, (void)) { api::barrier_world(); }
WEIR_SHMEM_ENTRY(void, shmem_sync_all, (void)) { api::sync_team(SHMEM_TEAM_WORLD); }
WEIR_SHMEM_ENTRY(int, shmem_team_sync, (shmem_team_t team)) { return api::sync_team(team); }
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
