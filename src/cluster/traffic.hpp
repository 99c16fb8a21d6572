// SPDX-License-Identifier: Apache-2.0

// Traffic: how many tiles this rank sends and receives: each is counted when its task is spawned, which one thread
// does, so that no task pays for it. Any thread reads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace weir::cluster {

class Traffic {
 public:
  struct Count {
    std::uint64_t tiles = 0, bytes = 0;
  };
  // The thread that spawns.
  void note_sent(std::size_t bytes) noexcept { sent_.note(bytes); }
  void note_received(std::size_t bytes) noexcept { received_.note(bytes); }

  Count sent() const noexcept { return sent_.count(); }
  Count received() const noexcept { return received_.count(); }

 private:
  // Relaxed: statistics, of one writer.
  struct Counter {
    std::atomic<std::uint64_t> tiles{0}, bytes{0};
    void note(std::size_t more) noexcept {
      tiles.store(tiles.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
      bytes.store(bytes.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
    }
    Count count() const noexcept {
      return {tiles.load(std::memory_order_relaxed), bytes.load(std::memory_order_relaxed)};
    }
  };
  Counter sent_, received_;
};

}  // namespace weir::cluster
