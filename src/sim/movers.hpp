// SPDX-License-Identifier: Apache-2.0

// Movers: who moves blocks in a simulation: the worker itself (off, inline), one mover, or one for each worker.
//
// As data::Mover with its copy engines, whose time and bytes Copies counts. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/blocks.hpp"
#include "sim/clock.hpp"
#include "sim/copies.hpp"
#include "sim/cores.hpp"
#include "sim/target.hpp"
#include "sim/work.hpp"
#include "sim/worker.hpp"
#include "weir/options.hpp"

namespace weir::sim {

class Movers {
 public:
  Movers(const Target& target, const Options& options, Clock& clock, Blocks& blocks);

  // Workers move blocks themselves.
  bool workers_move() const noexcept { return workers_move_; }
  // Who does what the engine of the blocks is called for until the next call.
  void act_for(Worker& worker) noexcept { here_ = &worker; }
  // As Driver: whoever does this has waited for those that asked before, and for pages. Returns until when.
  std::uint64_t decided(std::uint64_t waited_ns);
  void start(data::engine::Transfer* transfers);
  // A transfer that no thread moves has ended, or a mover begins the next, has copied it, or ends it.
  void go_on(const Event& event, Worker& first);
  // How many copy, rather than sleep.
  unsigned copying() const noexcept { return copying_; }
  // What each has of a core from now on.
  void set_shares(const CoreShares& shares);
  // A worker that moves blocks itself: begins the first, or ends it.
  void go_on(Worker& worker);

  Copies& copies() noexcept { return copies_; }

 private:
  // wakes: to begin the first of its queue; ends: it has copied, and waits until that ends.
  enum class Does : std::uint8_t { sleeps, wakes, copies, ends };
  struct Mover {
    std::vector<data::engine::Transfer*> queue;  // from `first` on
    std::size_t first = 0;
    Does does = Does::sleeps;
    std::uint64_t turn = 0;        // of its events
    CopyCost cost;                 // of the first
    Work work;                     // of that copy
    std::uint64_t held_until = 0;  // as Worker's
  };

  void wake(std::size_t index, std::uint64_t at);
  void begin_copy(std::size_t index);
  void copy_on(std::size_t index);
  void end_copy(std::size_t index);
  CopyCost begin(const data::engine::Transfer& transfer, std::uint64_t at);
  void land(data::engine::Transfer& transfer, Worker& worker);

  const Options& options_;
  const bool workers_move_;
  Clock& clock_;
  Blocks& blocks_;
  Copies copies_;
  std::vector<Mover> movers_;
  unsigned copying_ = 0;
  CoreShares shares_;
  Worker* here_ = nullptr;
  Mover* landing_ = nullptr;        // that does what happens now; null: `here_` does
  std::uint64_t engine_until_ = 0;  // it decides one thing after the other
};

}  // namespace weir::sim
