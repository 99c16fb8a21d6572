// SPDX-License-Identifier: Apache-2.0

// MessageTrace: what ranks ask of one another and answer, in the trace. What a rank does for another is a task there,
// whose doing is what follows from it; who asks waits for the answer.
#pragma once

#include <cstdint>

#include "ocr/mail/mail.hpp"
#include "ocr/observe/message_log.hpp"

namespace weir::ocr {

class MessageTrace final : public MailObserver {
 public:
  // The row for messages, which stays as long as there are any.
  explicit MessageTrace(trace::Track& row) noexcept : log_(row) { MessageLog::set_running(&log_); }
  ~MessageTrace() { MessageLog::set_running(nullptr); }

  void sends(const Passing& message) noexcept override;
  void begins(const Passing& message) noexcept override;
  void has_performed() noexcept override;
  void answered(const Passing& answer, std::uint64_t since) noexcept override;

 private:
  MessageLog log_;
  // Of the thread that performs, of which there is one at a time.
  struct Performing {
    std::uint64_t task = 0;  // 0: it is not recorded
    std::uint64_t start = 0, before = 0;
    Say what{};
  };
  Performing performing_;
};

}  // namespace weir::ocr
