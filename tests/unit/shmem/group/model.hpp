// SPDX-License-Identifier: Apache-2.0

// A serial model of the collectives, and random ones: for threads that play PEs, and for real PEs.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "shmem/group/collective.hpp"

namespace weir::shmem::test {

enum class Kind { sync, broadcast, collect, fcollect, alltoall, alltoalls, reduce, inclusive_scan, exclusive_scan };
constexpr int kKinds = 9;

struct Action {
  Kind kind = Kind::sync;
  std::size_t group = 0;
  std::size_t count = 0;    // elements
  std::size_t element = 1;  // bytes
  Op op = Op::sum;
  Type type = Type::i32;
  unsigned root = 0;
  bool write_root = true, in_place = false;
  std::ptrdiff_t dest_stride = 1, source_stride = 1;
  unsigned seed = 0;
};

using Bytes = std::vector<std::byte>;

constexpr std::byte kUntouched{0x5a};
constexpr std::size_t kBuffer = std::size_t{1} << 21;  // room for a source or a dest

// The world of so many PEs, and groups of some of them in any order.
std::vector<std::vector<int>> any_groups(std::mt19937& random, int pes);

// `groups`: the PEs of each.
Action any_action(std::mt19937& random, const std::vector<std::vector<int>>& groups);

// Calls the collective on a group of these PEs, with a source that is filled first, and compares the dest with what the
// model says. `heap` is symmetric, 2 * kBuffer. What is wrong, or "".
std::string act(Group& group, const std::vector<int>& pes, const Action& action, std::byte* heap);

}  // namespace weir::shmem::test
