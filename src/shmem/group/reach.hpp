// SPDX-License-Identifier: Apache-2.0

// Reach: how one group's collectives come to the memory of other PEs. The core's segments and a channel of the group's
// own (world_reach.hpp), or threads that play PEs (tests).
//
// A symmetric pointer is one into this PE's memory; with a PE's number it names the same place there. One thread at a
// time, like the group whose it is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "shmem/group/area.hpp"

namespace weir::shmem {

class Reach {
 public:
  virtual ~Reach() = default;

  // Where it is in this process's memory; null: only the calls below come there.
  virtual std::byte* mapped(const void* symmetric, int pe) = 0;
  // The same for `bytes` bytes that are only read, and may be constants of the program.
  virtual const std::byte* mapped_source(const void* symmetric, std::size_t, int pe) { return mapped(symmetric, pe); }

  // The number of a symmetric object, or of a constant, by which other members may ask for theirs where each may have
  // given another one; 0: it is neither. And the object of this PE that has the number which that PE has told.
  virtual std::uint64_t name_of(const void* object) = 0;
  virtual const std::byte* named(std::uint64_t name, int pe) = 0;
  // Ends the program when symmetric bytes of this PE go beyond what is symmetric.
  virtual void check_end(const void*, std::size_t) {}

  // Done, and seen by the PE, after quiet(); until then neither side's memory is to be touched.
  virtual void put_nbi(void* symmetric, const void* from, std::size_t bytes, int pe) = 0;
  virtual void get_nbi(void* to, const void* symmetric, std::size_t bytes, int pe) = 0;
  virtual void quiet() = 0;
  // A release of a word there, with all that quiet() has completed before it, and after all flags set before it.
  virtual void set_flag(std::atomic<Step>* symmetric, Step value, int pe) = 0;

  // Until the word is at least `step`: spins, yields, sleeps, helps the transport; a PE that is lost ends the program.
  virtual void wait(const std::atomic<Step>& word, Step step) = 0;
};

}  // namespace weir::shmem
