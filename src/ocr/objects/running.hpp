// SPDX-License-Identifier: Apache-2.0

// Run: what an EDT has only from the call of its function to the end of the tasks that this has spawned by the C++ API.
// It lies on the stack of the thread that runs the EDT, which alone uses it; what is left of it when the function
// returns before those tasks have ended goes with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ocr/objects/edt.hpp"
#include "ocr/objects/hold.hpp"

namespace weir::ocr {

struct Event;

struct RunExtra {
  static constexpr std::size_t kLocalStorage = 256;
  std::unique_ptr<ocrGuid_t[]> local_storage;  // null until it is used
  std::vector<WaitedHold> waited;
};
struct Run {
  Edt& edt;
  Block* created = nullptr;         // those it made and has not released
  std::unique_ptr<RunExtra> extra;  // null until it is used
  std::uint8_t credit = 0;          // see FinishScope
  std::uint16_t kept_count = 0;     // in `kept`
  Event* kept = nullptr;            // see keep_output(); newest first
  Event* kept_before = nullptr;     // older ones; none while `kept` is empty

  explicit Run(Edt& running) noexcept : edt(running) {}
  // Throws std::bad_alloc.
  RunExtra& make_extra() {
    if (extra == nullptr) extra = std::make_unique<RunExtra>();
    return *extra;
  }
};

// The held block that the slots of the running EDT know, or that it has made or waited for; null when it holds none of
// that GUID.
struct Holding {
  Block* block = nullptr;
  Slot* slot = nullptr;  // null: it made the block, or waited for it
};
Holding find_held(const Run& run, Guid block) noexcept;

}  // namespace weir::ocr
