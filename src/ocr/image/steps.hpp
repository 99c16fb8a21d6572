// SPDX-License-Identifier: Apache-2.0

// Steps: what rank 0 and the others say of a checkpoint of all of them (Say::checkpoint). Values.
//
//   rank 0                 each other rank
//   halt ----------------> no EDT begins; it stands still
//   (all stand still, and no message is on its way)
//   take ----------------> its image is taken
//   (all have)
//   write ---------------> EDTs begin again; the image is written
//   (all have)
//   end -----------------> the turn is over, whatever came of it
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "ocr/mail/stillness.hpp"

namespace weir::ocr {

// What a message begins with.
enum class CheckpointAsk : std::uint8_t { step, find_slots, find_gone };

enum class Step : std::uint8_t { none, halt, take, write, end };
// Asked for again and again: who is asked says how far it is.
struct Order {
  std::uint64_t turn = 0;  // of a checkpoint: larger than those before it, and no other run has it
  Step step = Step::none;

  bool is_after(const Order& other) const noexcept {
    return turn != other.turn ? turn > other.turn : step > other.step;
  }
};
// The answer; the text of a failure follows.
struct StepDone {
  Order last;  // that was done, or has failed
  base::Code code = base::Code::ok;
  Stillness stillness;  // is_still: meaningless here
};

}  // namespace weir::ocr
