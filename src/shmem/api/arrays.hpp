// SPDX-License-Identifier: Apache-2.0

// Of the arrays of collectives, how many bytes they have, and that those which begin in symmetric memory end there
// (check_end()): a collective writes and reads this PE's own arrays without a look, and behind a segment lies memory of
// the library or of another PE. The dest of a collect is looked at by the collect, which learns its size.
#pragma once

#include "shmem/api/entry.hpp"
#include "shmem/group/collective.hpp"
#include "shmem/world/address.hpp"

namespace weir::shmem::api {

// With the number of elements in place of the bytes; as broadcast() takes it. The root alone reads its source.
template <class T>
Broadcast checked_broadcast(const Group& group, Broadcast what) noexcept {
  what.bytes = bytes_of<T>(what.bytes);
  const bool is_root = group.me() == what.root;
  if (is_root) check_end(what.source, what.bytes);
  if (!is_root || what.write_root) check_end(what.dest, what.bytes);
  return what;
}

// Of a part for each member.
template <class T>
std::size_t bytes_of_all(const Group& group, std::size_t nelems) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(bytes_of<T>(nelems), std::size_t{group.size()}, &bytes)) [[unlikely]]
    fail_count(nelems, sizeof(T));
  return bytes;
}

// Each of one member's part.
template <class T>
std::size_t collect_bytes(const Group&, const void*, const void* source, std::size_t nelems) noexcept {
  const std::size_t bytes = bytes_of<T>(nelems);
  check_end(source, bytes);
  return bytes;
}
template <class T>
std::size_t fcollect_bytes(const Group& group, const void* dest, const void* source, std::size_t nelems) noexcept {
  check_end(dest, bytes_of_all<T>(group, nelems));
  return collect_bytes<T>(group, dest, source, nelems);
}
template <class T>
std::size_t alltoall_bytes(const Group& group, const void* dest, const void* source, std::size_t nelems) noexcept {
  const std::size_t all = bytes_of_all<T>(group, nelems);
  check_end(dest, all);
  check_end(source, all);
  return nelems * sizeof(T);
}

// Ends the program also for strides that no addresses have.
void check_ends(const Group& group, const Strided& what) noexcept;

}  // namespace weir::shmem::api
