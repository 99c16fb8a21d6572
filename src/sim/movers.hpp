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
#include "sim/target.hpp"
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
  // A transfer that a mover was to end.
  void landed(const Event& event, Worker& first);
  // A worker that moves blocks itself: begins the first, or ends it.
  void go_on(Worker& worker);

  Copies& copies() noexcept { return copies_; }

 private:
  struct Mover {
    std::vector<data::engine::Transfer*> queue;  // from `first` on
    std::size_t first = 0;
    bool busy = false;
    std::uint64_t held_until = 0;  // as Worker's
  };

  void start_next(std::size_t index, std::uint64_t after_ns);
  // Ends at the time that is returned.
  std::uint64_t begin(const data::engine::Transfer& transfer, std::uint64_t at);
  void land(data::engine::Transfer& transfer, Worker& worker);

  const Options& options_;
  const bool workers_move_;
  Clock& clock_;
  Blocks& blocks_;
  Copies copies_;
  std::vector<Mover> movers_;
  Worker* here_ = nullptr;
  Mover* landing_ = nullptr;        // that does what happens now; null: `here_` does
  std::uint64_t engine_until_ = 0;  // it decides one thing after the other
};

}  // namespace weir::sim
