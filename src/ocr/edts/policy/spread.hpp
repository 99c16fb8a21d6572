// SPDX-License-Identifier: Apache-2.0

// Whether an EDT that no hint places is worth sending to a rank that has nothing to run: its own queue against that
// one, which is empty, and its bytes against its time. Pure functions: tests/unit/ocr/spread_policy_test.cpp.
#pragma once

#include <cstdint>

namespace weir::ocr::policy {

struct EdtToSpread {
  bool can_run_at_once = false;   // it depends on nothing that has still to happen
  bool others_are_ready = false;  // on the worker that makes it
  std::uint64_t bytes = 0;        // of its data blocks of this rank: copied before it runs elsewhere
  std::uint64_t usual_ns = 0;     // what EDTs of its function have taken on this rank; 0: none has run
};

// Of copies between two ranks of a host (docs/performance/ranks.md: 1 MiB in 42 to 46 us). Between hosts it is less,
// and an EDT that is sent there pays for it: what is known of ways there is not measured.
inline constexpr std::uint64_t kCopiedBytesPerNs = 20;
// Copying may take half of the time that is gained.
inline constexpr std::uint64_t kLeastTimesCopying = 2;
// Where no EDT of the function has run.
inline constexpr std::uint64_t kMostBytesOfUnknown = std::uint64_t{1} << 20;

constexpr bool is_light(const EdtToSpread& edt) noexcept {
  if (edt.usual_ns == 0) return edt.bytes <= kMostBytesOfUnknown;
  return edt.bytes / kCopiedBytesPerNs * kLeastTimesCopying <= edt.usual_ns;
}

// One that could run here at once, with nothing before it, only changes places with what the other rank lacks.
constexpr bool pays_elsewhere(const EdtToSpread& edt) noexcept {
  return (!edt.can_run_at_once || edt.others_are_ready) && is_light(edt);
}

// The next value of usual_ns: recent ones count more, and no EDT is taken for one that has not run.
constexpr std::uint64_t usual_after(std::uint64_t usual_ns, std::uint64_t took_ns) noexcept {
  const std::uint64_t next = usual_ns == 0 ? took_ns : usual_ns - usual_ns / 8 + took_ns / 8;
  return next == 0 ? 1 : next;
}

}  // namespace weir::ocr::policy
