// SPDX-License-Identifier: Apache-2.0

// The collectives of OpenSHMEM, on a group: what teams and active sets have in common.
//
// Every member calls the same with the same arguments, in the same order. `dest` and `source` are symmetric, and are
// ready when the first member calls; when a member's call returns its own `dest` is written, and its `source` is read
// by nobody any more. 0 elements or bytes: nothing moves, and nobody waits. A PE that is lost ends the program.
//
// Within a node, what fits a letter is sent by letters; the rest is read from the sources where they are, shared out
// among all members. Between nodes the leaders exchange what their nodes have in common (docs/protocols/
// shmem-collectives.md).
#pragma once

#include <cstddef>

#include "shmem/group/group.hpp"
#include "shmem/group/kernel.hpp"

namespace weir::shmem {

// All have called it before any call returns.
void sync(Group& group);
// The same within another call, which records itself.
void sync_unrecorded(Group& group);

struct Broadcast {
  void* dest = nullptr;
  const void* source = nullptr;
  std::size_t bytes = 0;
  unsigned root = 0;       // a member
  bool write_root = true;  // the root's dest is written too: as teams have it, and active sets do not
};
void broadcast(Group& group, const Broadcast& what);

// One member's part after the other's, in every dest. Bytes of this member's part: they may differ, and be 0.
void collect(Group& group, void* dest, const void* source, std::size_t bytes);
// The same number of bytes on all.
void fcollect(Group& group, void* dest, const void* source, std::size_t bytes);

// Block i of the source goes to member i, where it becomes the block of this member's number.
void alltoall(Group& group, void* dest, const void* source, std::size_t bytes);
struct Strided {
  void* dest = nullptr;
  const void* source = nullptr;
  std::ptrdiff_t dest_stride = 1, source_stride = 1;  // elements from one to the next, at least 1
  std::size_t count = 0;                              // elements for each member
  std::size_t element = 1;                            // bytes of one
};
void alltoalls(Group& group, const Strided& what);

// dest[j] = source[j] of member 0, op that of member 1, and so on, in this order within a node, and then node by node:
// floating-point results are the same on all members, and in every run with the same PEs on the same nodes. `dest` is
// `source`, or they do not overlap.
struct Reduction {
  void* dest = nullptr;
  const void* source = nullptr;
  std::size_t count = 0;
  Op op = Op::sum;
  Type type = Type::i32;
};
void reduce(Group& group, const Reduction& what);

// Sums of the sources of members 0 to this one, or (exclusive) to the one before it: 0 for member 0. In the order of
// the members. `what.op` is sum.
void inclusive_scan(Group& group, const Reduction& what);
void exclusive_scan(Group& group, const Reduction& what);

}  // namespace weir::shmem
