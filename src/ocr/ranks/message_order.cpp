// SPDX-License-Identifier: Apache-2.0

#include "ocr/ranks/message_order.hpp"

namespace weir::ocr {

void MessageOrder::sends(const Passing& message) noexcept {
  if (is_control(message.what)) return;
  const check::Pause pause;
  sent_ = check::hooks().both(sent_, check::hooks().here());
}

void MessageOrder::begins(const Passing&) noexcept {
  check::hooks().pause();
  before_ = check::hooks().set_cause(sent_);
  check::hooks().serve(true);
}

void MessageOrder::has_performed() noexcept {
  check::hooks().serve(false);
  check::hooks().set_cause(before_);
  check::hooks().resume();
}

}  // namespace weir::ocr
