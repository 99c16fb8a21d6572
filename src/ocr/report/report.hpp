// SPDX-License-Identifier: Apache-2.0

// What an OCR program has left and why: while it runs, when it hangs, and when it ends. Any thread.
#pragma once

#include <span>

#include "ocr/blocks/slabs.hpp"
#include "runtime/explaining.hpp"

namespace weir::ocr {

class Program;

// EDTs with their open slots and what would satisfy them, and the events behind these, as a part of what the runtime
// reports of itself.
class ExplainedEdts final : public runtime::ExplainedLayer {
 public:
  explicit ExplainedEdts(const Program& program) noexcept : program_(program) {}
  bool is_mine(sched::InvokeFunction invoke) const noexcept override;
  bool waits_for_itself() const noexcept override;
  void add_to(explain::Situation& situation, std::span<const runtime::BegunTask> begun, data::Store* store,
              std::span<const runtime::ChildOfLayer> children) override;

 private:
  const Program& program_;
};

// What a report is of.
struct Reported {
  const Program& program;
  Tiers& tiers;
  Slabs& slabs;
  runtime::Explaining* explaining;  // null: it is switched off
};
// To standard error: what the runtime has left, then events that were never satisfied and blocks never destroyed, all
// with where they were created. `why` is its first line.
void print_report(const Reported& of, const char* why) noexcept;

}  // namespace weir::ocr
