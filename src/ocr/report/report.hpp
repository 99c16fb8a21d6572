// SPDX-License-Identifier: Apache-2.0

// What an OCR program has left and why: for who asks what it waits for, and when it ends or hangs. Any thread.
#pragma once

#include <span>

#include "runtime/explaining.hpp"

namespace weir::ocr {

class System;

// EDTs with their open slots and what would satisfy them, and the events behind these, as a part of what the runtime
// tells of itself.
class ExplainedEdts final : public runtime::ExplainedLayer {
 public:
  explicit ExplainedEdts(System& system) noexcept : system_(system) {}
  bool is_mine(sched::InvokeFunction invoke) const noexcept override;
  bool waits_for_itself() const noexcept override;
  void add_to(explain::Situation& situation, std::span<const runtime::BegunTask> begun, data::Store* store) override;

 private:
  System& system_;
};

// To standard error: what the runtime has left, then events that were never satisfied and blocks never destroyed, all
// with where they were created. `why` is its first line.
void print_report(System& system, const char* why) noexcept;

}  // namespace weir::ocr
