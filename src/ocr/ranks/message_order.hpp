// SPDX-License-Identifier: Apache-2.0

// MessageOrder: what `weir check` knows of messages between ranks. A rank is checked by itself, and cannot see what
// another one does between a message that it gets and one that it sends: so what another rank asks is taken to come
// after all that this one had sent until then. What comes after it, does; some of what has no order is not found.
#pragma once

#include "check/hooks.hpp"
#include "ocr/mail/mail.hpp"

namespace weir::ocr {

class MessageOrder final : public MailObserver {
 public:
  void sends(const Passing& message) noexcept override;
  // What the runtime does for another rank touches blocks, in the midst of an EDT or not.
  void begins(const Passing& message) noexcept override;
  void has_performed() noexcept override;
  void answered(const Passing&, std::uint64_t) noexcept override {}

 private:
  const check::Cause* sent_ = nullptr;    // all that; while the checker is paused
  const check::Cause* before_ = nullptr;  // of the thread that performs, of which there is one at a time
};

}  // namespace weir::ocr
