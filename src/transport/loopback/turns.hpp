// SPDX-License-Identifier: Apache-2.0

// Turns: threads that run one at a time, in an order that follows from a seed. Each is a rank; it gives its turn away
// at calls of the transport, and between turns what is under way may arrive.
//
// A thread that waits says for what: it gets no turn before that is true. When nobody can run and nothing is under way,
// all are told that they are stuck. A function that a waiting thread left is called by others, in their turns.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <random>

#include "base/mutex.hpp"

namespace weir::transport::loopback {

class Turns {
 public:
  using Ready = std::function<bool()>;

  // happen(): something that is under way arrives, by chance; false when nothing is under way. most: turns, after which
  // all are stuck.
  Turns(std::uint32_t threads, std::uint64_t seed, std::uint64_t most, std::function<bool()> happen);

  // ---- Whoever has started the threads ----
  void begin();

  // ---- Thread number `self` ----
  void take_first(std::uint32_t self);
  void pass(std::uint32_t self);
  // False: it will never be true.
  [[nodiscard]] bool wait(std::uint32_t self, const Ready& ready);
  void end(std::uint32_t self);

  // ---- Whoever's turn it is ----
  std::uint64_t below(std::uint64_t limit);
  std::uint64_t count() const noexcept { return count_; }
  bool is_stuck() const noexcept { return is_stuck_; }
  // What has been decided so far, as one number.
  std::uint64_t digest() const noexcept { return digest_; }

 private:
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  struct One {
    std::condition_variable turn;
    const Ready* ready = nullptr;  // null: it can go on
  };

  void give_away();
  std::uint32_t choose();
  bool can_run(std::uint32_t thread) const { return threads_[thread].ready == nullptr || (*threads_[thread].ready)(); }
  void sleep(base::Lock& lock, std::uint32_t self);

  base::Mutex mutex_;
  std::deque<One> threads_;
  std::vector<std::uint32_t> live_;
  std::function<bool()> happen_;
  std::mt19937_64 random_;
  std::uint64_t most_, count_ = 0, digest_ = 0xcbf29ce484222325;
  std::uint32_t holder_ = kNobody;
  bool is_stuck_ = false;
};

}  // namespace weir::transport::loopback
