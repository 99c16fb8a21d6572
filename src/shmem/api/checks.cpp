// SPDX-License-Identifier: Apache-2.0

#include "shmem/api/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "shmem/group/exchange.hpp"
#include "shmem/group/matching.hpp"
#include "shmem/heap/heap.hpp"
#include "shmem/observe/check_board.hpp"
#include "shmem/observe/check_copy.hpp"
#include "shmem/world/address.hpp"

namespace weir::shmem::api {

namespace {

std::string place_of(const void* address) {
  if (constant(address, 1, world().my_pe) != nullptr) return "a constant";
  return segment_of(address) == nullptr ? "not symmetric" : place_text(address);
}

// What stands for the place on all PEs: files, of which its text may name one, may be elsewhere on each.
std::string name_text(const void* address) {
  const bool is_constant = constant(address, 1, world().my_pe) != nullptr;
  return is_constant || segment_of(address) == nullptr ? place_of(address) : fmt::format("{:#x}", name_of(address));
}

void check_symmetric(const char* name, const void* array, std::size_t bytes) {
  if (bytes == 0) return;
  if (segment_of(array) == nullptr) {
    fail(
        fmt::format("{} {} is not symmetric: other PEs cannot reach it. It may work with few bytes here, and not "
                    "elsewhere; use memory of shmem_malloc, or a global or static variable",
                    name, array));
  }
  if (!is_symmetric(array, bytes)) fail_range(array, bytes, world().my_pe);
}

// A constant is read where it is: it is the same on all PEs.
void check_source(const void* array, std::size_t bytes) {
  if (constant(array, bytes, world().my_pe) == nullptr) check_symmetric("source", array, bytes);
}

// The arrays of a call. Bytes are those of this PE; 0: the array is not looked at.
struct Arrays {
  const void* dest = nullptr;
  std::size_t dest_bytes = 0;
  const void* source = nullptr;
  std::size_t source_bytes = 0;
  enum class Apart { always, unless_same, not_checked } apart = Apart::always;
};

void check_overlap(const Arrays& arrays) {
  using enum Arrays::Apart;
  if (arrays.apart == not_checked || (arrays.apart == unless_same && arrays.dest == arrays.source)) return;
  const std::size_t common = bytes_in_both(arrays.dest, arrays.dest_bytes, arrays.source, arrays.source_bytes);
  if (common == 0) return;
  fail(fmt::format("dest ({}) and source ({}) overlap in {} bytes: they must {}", place_of(arrays.dest),
                   place_of(arrays.source), common,
                   arrays.apart == always ? "have no byte in common" : "be the same array, or have no byte in common"));
}

std::string text_of(shmem_team_t team) {
  if (team == SHMEM_TEAM_WORLD) return "SHMEM_TEAM_WORLD";
  if (team == SHMEM_TEAM_SHARED) return "SHMEM_TEAM_SHARED";
  if (!is_team(team_of(team)))
    fail(fmt::format("{} is no team: it was destroyed before, or never made", fmt::ptr(team_of(team))));
  constexpr unsigned kNamed = 8;
  const Group& group = team_of(team)->group;
  std::string text = fmt::format("the team of {} PEs (", group.size());
  for (unsigned member = 0; member < std::min(group.size(), kNamed); ++member) {
    fmt::format_to(std::back_inserter(text), "{}{}", member == 0 ? "" : ", ", group.pe(member));
  }
  return text + (group.size() > kNamed ? ", ...)" : ")");
}

std::string text_of(const ActiveSet& set) {
  return fmt::format("the active set PE_start {}, logPE_stride {}, PE_size {}, pSync {}", set.start, set.log_stride,
                     set.size, place_of(set.psync));
}

std::string text_of(const Members& members) {
  return members.set != nullptr ? text_of(*members.set) : text_of(members.team);
}

std::string text_of(const Data& data) {
  return fmt::format("nelems {}, elements of {} bytes", data.nelems, data.element);
}

void check_arrays(Group& group, const Members& members, const char* kind, std::string arguments, const Arrays& arrays) {
  check_symmetric("dest", arrays.dest, arrays.dest_bytes);
  check_source(arrays.source, arrays.source_bytes);
  check_overlap(arrays);
  std::string compared = arguments;
  const auto add = [&](const char* name, const void* array, std::size_t bytes) {
    if (bytes == 0) return;
    arguments += name + place_of(array);
    compared += name + name_text(array);
  };
  add(", dest ", arrays.dest, arrays.dest_bytes);
  add(", source ", arrays.source, arrays.source_bytes);
  match(group, {kind, std::move(arguments), text_of(members), std::move(compared)});
}

constexpr const char* kOpNames[kOps] = {"and", "or", "xor", "min", "max", "sum", "prod"};
constexpr const char* kTypeNames[kTypes] = {"int8",        "int16",         "int32",         "int64", "uint8",
                                            "uint16",      "uint32",        "uint64",        "float", "double",
                                            "long double", "complex float", "complex double"};

}  // namespace

void check_set(const ActiveSet& set, const char* kind) {
  // Fortran's elements have half the bytes, and there are as many bytes of them.
  static_assert(SHMEM_SYNC_VALUE == 0);
  check_symmetric("pSync", set.psync, sizeof(long));
  for (std::size_t i = 0; i < SHMEM_SYNC_SIZE && is_symmetric(set.psync, (i + 1) * sizeof(long)); ++i) {
    if (set.psync[i] == SHMEM_SYNC_VALUE) continue;
    fail(
        fmt::format("pSync[{}] is {}: every element of pSync is SHMEM_SYNC_VALUE ({}) before the call, on all PEs, and "
                    "there are SHMEM_SYNC_SIZE ({}) of them",
                    i, set.psync[i], SHMEM_SYNC_VALUE, SHMEM_SYNC_SIZE));
  }
  begin_call(describe({kind, {}, text_of(set), {}}));
}

void check_call(Group& group, const Members& members, const char* kind, std::string arguments) {
  match(group, {kind, std::move(arguments), text_of(members), {}});
}

void check_broadcast(Group& group, const Members& members, const Data& data, int root) {
  const std::size_t bytes = data.nelems * data.element;
  check_arrays(group, members, "broadcast", fmt::format("{}, PE_root {}", text_of(data), root),
               {data.dest, bytes, data.source, bytes, Arrays::Apart::unless_same});
}

// How many bytes come together in dest is known when all have said it. Where nobody has any, dest may be null:
// shmem_malloc(0).
void check_collect(Group& group, const Members& members, const Data& data) {
  const std::size_t bytes = data.nelems * data.element;
  check_source(data.source, bytes);
  check_arrays(group, members, "collect", fmt::format("elements of {} bytes", data.element),
               {data.dest, data.dest == nullptr ? bytes : std::max<std::size_t>(bytes, 1), data.source, 0});
  std::size_t all = 0;
  for (const WordPair& one : exchange_words(group, {bytes, 0})) all += one.first;
  sync(group);
  check_overlap({data.dest, all, data.source, bytes});
}

void check_fcollect(Group& group, const Members& members, const Data& data) {
  const std::size_t bytes = data.nelems * data.element;
  check_arrays(group, members, "fcollect", text_of(data), {data.dest, bytes * group.size(), data.source, bytes});
}

void check_alltoall(Group& group, const Members& members, const Data& data) {
  const std::size_t bytes = data.nelems * data.element * group.size();
  check_arrays(group, members, "alltoall", text_of(data), {data.dest, bytes, data.source, bytes});
}

void check_alltoalls(Group& group, const Members& members, const Data& data, std::ptrdiff_t dst, std::ptrdiff_t sst) {
  const std::size_t count = data.nelems * group.size();
  const auto bytes = [&](std::ptrdiff_t stride) {
    return count == 0 || stride < 1 ? 0 : ((count - 1) * static_cast<std::size_t>(stride) + 1) * data.element;
  };
  const bool is_dense = dst == 1 && sst == 1;  // else elements of one may lie between those of the other
  if (!is_dense && count != 0 && dst >= 1 && sst >= 1) {
    const auto element = static_cast<std::ptrdiff_t>(data.element);
    check_blocks({data.dest, dst * element, data.element, count}, {data.source, sst * element, data.element, count},
                 false);
  }
  check_arrays(
      group, members, "alltoalls", fmt::format("{}, dst {}, sst {}", text_of(data), dst, sst),
      {data.dest, bytes(dst), data.source, bytes(sst), is_dense ? Arrays::Apart::always : Arrays::Apart::not_checked});
}

void check_reduce(Group& group, const Members& members, const Reduction& what, const char* kind) {
  const std::size_t bytes = what.count * kernel_of(what.op, what.type).bytes;
  const std::string arguments = fmt::format("{} of {}, nreduce {}", kOpNames[static_cast<std::size_t>(what.op)],
                                            kTypeNames[static_cast<std::size_t>(what.type)], what.count);
  check_arrays(group, members, kind, arguments, {what.dest, bytes, what.source, bytes, Arrays::Apart::unless_same});
}

void check_heap(const char* kind, std::string arguments) {
  match(world_group(), {kind, std::move(arguments), "SHMEM_TEAM_WORLD", {}});
}

void check_release(const char* kind, const void* data, const std::string& arguments) {
  if (data == nullptr || !is_allocation(data)) return;
  check_heap(kind, fmt::format("ptr {}{}", place_of(data), arguments.empty() ? "" : ", " + arguments));
}

}  // namespace weir::shmem::api
