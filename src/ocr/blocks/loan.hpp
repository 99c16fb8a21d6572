// SPDX-License-Identifier: Apache-2.0

// Loan: what the rank of an EDT and the home of a data block say of a copy that the EDT gets.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ocr/mail/parts.hpp"
#include "ocr/objects/guid.hpp"

namespace weir::ocr {

// What goes to the block's home.
struct Loan {
  Guid block;
  std::uint64_t edt = 0;    // its address, good until it has the block: it is complete, and does not run
  std::uint32_t known = 0;  // the version that the EDT's rank has; 0: none
  std::uint8_t mode = 0;
  std::uint64_t traced = 0;  // its number in a trace (observe/message_log.hpp)
};

enum class LentAs : std::uint8_t {
  nothing,  // there is no such block
  known,    // it still is of the version that the EDT's rank has
  inside,   // the contents are behind
  there,    // they lie at the home, until the EDT's rank has said that it has taken them
};
// What comes back.
struct LoanMade {
  Loan of;
  std::uint32_t version = 0;  // of the contents; 0: not to be kept
  LentAs as = LentAs::nothing;
  std::uint64_t bytes = 0;   // of the block
  std::uint64_t offset = 0;  // there: in the memory of the home that others read
};
// The contents that lie there are not looked at any more.
struct Taken {
  Guid block;
  std::uint8_t mode = 0;
};
// A copy that was written.
struct GivenBack {
  Guid block;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // in the memory of the EDT's rank that others read
  std::uint64_t copy = 0;    // lies there until the home has them; 0: the contents are behind
  std::uint64_t traced = 0;  // as of a loan
};

// Such contents are sent in one message, others are read from where they lie.
inline bool goes_inside(std::size_t bytes) noexcept { return bytes + sizeof(LoanMade) + 64 <= Part::kMost; }

}  // namespace weir::ocr
