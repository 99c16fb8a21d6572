// SPDX-License-Identifier: Apache-2.0

// NodeMemory: what hands out the room of one node: an arena, the extents of a file, or books alone in a simulation.
//
// The engine asks for offsets and never for what is behind them. Under the lock of whoever drives the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace weir::data::engine {

class NodeMemory {
 public:
  virtual ~NodeMemory() = default;

  // Room for `charge` bytes (charge.hpp); none when there is no range so large, or the system refuses more. `name`: of
  // the block, for messages.
  virtual std::optional<std::uint64_t> take(std::size_t charge, const std::string& name) noexcept = 0;
  // Room that take() gave.
  virtual void give_back(std::uint64_t offset, std::size_t charge) noexcept = 0;
  // Makes free ranges whole where that costs something.
  virtual void trim() noexcept = 0;

  // The budget may shrink: the system has refused what was counted on.
  virtual std::size_t budget() const noexcept = 0;
  virtual std::size_t used() const noexcept = 0;
  virtual std::size_t largest_free() const noexcept = 0;
  // Why take() gave nothing; ok: its free ranges were too small.
  virtual base::Status refusal() const = 0;
};

}  // namespace weir::data::engine
