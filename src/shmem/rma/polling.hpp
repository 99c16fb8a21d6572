// SPDX-License-Identifier: Apache-2.0

// Polling: programs that ask again and again, in loops of their own, where they could have waited (waiting.hpp).
//
//   while (!shmem_test(&flag, SHMEM_CMP_EQ, 1));
//
// Where PEs share processors the one that is asked for needs a turn, and the loop gives it one: after some tens of
// questions in vain, close to each other, each yields the processor (give_turn()). Nothing is remembered elsewhere. Any
// thread; what is counted is the thread's own.
#pragma once

#include <cstddef>

#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace detail {
void count_vain() noexcept;
void note_read_slow(const void* word, int pe, const void* value, std::size_t bytes) noexcept;
}  // namespace detail

// After a test that does not hold. Makes the transport's progress where that is needed.
inline void look_was_vain() {
  const World& w = world();
  if (w.needs_progress) [[unlikely]]
    w.transport->progress();
  if (w.is_oversubscribed) [[unlikely]]
    detail::count_vain();
}

// A value that was read of a PE's word. In vain when it is the one that this thread has read there just before.
inline void note_read(const void* word, int pe, const void* value, std::size_t bytes) {
  if (world().is_oversubscribed && bytes <= 8) detail::note_read_slow(word, pe, value, bytes);
}

}  // namespace weir::shmem
