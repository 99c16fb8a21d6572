// SPDX-License-Identifier: Apache-2.0

// Seeker: asks the other ranks for EDTs, one after the other and ever more rarely, while this one has nothing to run.
// The Postman's thread.
#pragma once

#include <chrono>
#include <cstdint>

#include "ocr/edts/spread.hpp"
#include "ocr/program/program.hpp"

namespace weir::ocr {

class Seeker {
 public:
  explicit Seeker(Program& program) noexcept : program_(program) {}
  // From time to time, while nothing arrives.
  void look();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kLeast = std::chrono::milliseconds(1), kMost = std::chrono::milliseconds(64);

  Program& program_;
  std::uint32_t next_ = 0;  // rank
  Clock::duration pause_ = kLeast;
  Clock::time_point next_time_{};
};

}  // namespace weir::ocr
