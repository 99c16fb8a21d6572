// SPDX-License-Identifier: Apache-2.0

// Others: the other ranks, as rank 0 has them make a checkpoint with it. One thread, not one that performs what others
// ask.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ocr/image/steps.hpp"

namespace weir::ocr {

class Others {
 public:
  // `stops`: whether nothing is to be waited for any more.
  Others(Mail& mail, std::function<bool()> stops) : mail_(mail), stops_(std::move(stops)) {}

  // They are to halt, for a new turn; or what comes next in it.
  void begin_turn(std::uint64_t turn);
  void order(Step step);
  // All stand still and nothing is on its way. `own`: of this rank, which stands still. A failure: lost or unsupported,
  // with the rank in its text.
  base::Status wait_until_still(const std::function<Stillness()>& own);
  // All have done what was ordered. As above, or no_space, io_error.
  base::Status wait_until_done();
  // Asks how many EDTs have ended there; none: the program ends.
  std::optional<std::uint64_t> ended();
  // As they have said last.
  std::uint64_t last_ended() const noexcept { return last_ended_; }

 private:
  struct Said {
    StepDone done;
    std::string text;
  };
  std::optional<Said> ask(Rank rank);
  // Of all; a failure that one of them has said.
  base::Status ask_all(std::vector<Said>& all);

  Mail& mail_;
  const std::function<bool()> stops_;
  Order order_{0, Step::end};
  std::uint64_t last_ended_ = 0;
};

}  // namespace weir::ocr
