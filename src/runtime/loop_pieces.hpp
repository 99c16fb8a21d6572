// SPDX-License-Identifier: Apache-2.0

// Which worker the pieces of a repeated loop belong to, and who takes them in the loop that runs.
// docs/protocols/loops.md
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace weir::detail {

class LoopPieces {
 public:
  // False: another loop uses it. True: until leave(), the calling thread may begin(), and threads that come after that
  // may do the rest.
  bool enter() noexcept { return !in_use_.exchange(true, std::memory_order_acquire); }  // LOOP-2
  void leave() noexcept { in_use_.store(false, std::memory_order_release); }            // LOOP-2

  // All pieces may be taken, once each. Throws std::bad_alloc, and then nothing has changed.
  void begin(std::uint32_t count, std::uint32_t workers) {
    if (count != count_ || workers != workers_) {
      auto words = std::make_unique<std::atomic<std::uint64_t>[]>(count);
      for (std::uint64_t i = 0; i < count; ++i)
        words[i].store(word(turn_, false, i * workers / count),
                       std::memory_order_relaxed);  // relaxed: nobody else has it
      words_ = std::move(words);
      count_ = count;
      workers_ = workers;
    }
    ++turn_;
    all_taken_.store(false, std::memory_order_relaxed);  // relaxed: other threads come by a fork
  }

  std::uint32_t count() const noexcept { return count_; }
  // Only when this is false is it worth while to look.
  bool all_taken() const noexcept { return all_taken_.load(std::memory_order_relaxed); }  // relaxed: a hint
  void note_all_taken() noexcept { all_taken_.store(true, std::memory_order_relaxed); }   // relaxed: a hint

  bool belongs_to(std::uint32_t piece, std::uint32_t worker) const noexcept {
    return owner_in(words_[piece].load(std::memory_order_relaxed)) == worker;  // relaxed: whoever it is, take() decides
  }
  // True: the piece is the caller's to run, and nobody else gets it in this loop. `only_own`: only when it belongs to
  // `worker`.
  bool take(std::uint32_t piece, std::uint32_t worker, bool only_own) noexcept {
    std::atomic<std::uint64_t>& there = words_[piece];
    std::uint64_t seen = there.load(std::memory_order_relaxed);  // LOOP-1
    while (turn_in(seen) != turn_) {
      const std::uint32_t owner = owner_in(seen);
      if (only_own && owner != worker) return false;
      const bool is_helped = owner != worker && !helped_in(seen);
      const std::uint64_t taken = word(turn_, is_helped, is_helped ? owner : worker);
      if (there.compare_exchange_weak(seen, taken, std::memory_order_relaxed)) return true;  // LOOP-1
    }
    return false;
  }

 private:
  // The loop that has taken the piece last; whether one that it does not belong to did; whom it belongs to.
  static std::uint64_t word(std::uint32_t turn, bool helped, std::uint64_t owner) noexcept {
    return std::uint64_t{turn} << 32 | std::uint64_t{helped} << 31 | owner;
  }
  static std::uint32_t turn_in(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }
  static bool helped_in(std::uint64_t word) noexcept { return (word >> 31 & 1) != 0; }
  static std::uint32_t owner_in(std::uint64_t word) noexcept { return word & 0x7fff'ffff; }

  std::atomic<bool> in_use_{false};
  std::atomic<bool> all_taken_{true};
  std::uint32_t turn_ = 0;  // loops, counted; written while no other thread takes
  std::uint32_t count_ = 0;
  std::uint32_t workers_ = 0;
  std::unique_ptr<std::atomic<std::uint64_t>[]> words_;
};

}  // namespace weir::detail
