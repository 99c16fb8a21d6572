// SPDX-License-Identifier: Apache-2.0

// The steps that make writes visible between master and workers, by name, so that a test can leave one out and see that
// something fails without it. Those of letters are in letter.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "island/memory.hpp"

namespace weir::island {

enum class Step : std::uint8_t {
  none,
  program_wrote,       // back: what the program wrote, before a task that names it
  footprint_fresh,     // fresh: what a task names, before it runs
  footprint_written,   // back: what it wrote
  answer_fresh,        // fresh: where a worker says that it has done with a task, as another one may have said so there
  results_fresh,       // fresh: what tasks wrote, before wait() returns
  piece_fresh,         // fresh: memory that is allocated again, before it is zeroed
  spilled_before,      // fresh: where a long letter will lie
  spilled_written,     // back: the letter
  spilled_fresh,       // fresh: the same, at the worker
  target_before_copy,  // fresh: memory of `concurrent`, before it is copied
  copy_before_fill,    // fresh: lines of the private copy, before they are written
  copy_filled,         // back: the private copy
  copy_before_merge,   // fresh: the private copy that a task wrote
  target_before_merge,  // fresh: what it is merged into
  target_merged,        // back: the merged
  undo_before_save,     // fresh: what is saved, in case the worker dies
  undo_before_restore,  // fresh: before what was saved is put back
  undo_restored,        // back: what was put back
  count
};

// Only tests set it, before they make a master.
inline constinit Step left_out = Step::none;

inline void write_back(Step step, Memory& memory, const void* data, std::size_t bytes) noexcept {
  if (step != left_out) memory.write_back(data, bytes);
}
inline void invalidate(Step step, Memory& memory, const void* data, std::size_t bytes) noexcept {
  if (step != left_out) memory.invalidate(data, bytes);
}

}  // namespace weir::island
