// SPDX-License-Identifier: Apache-2.0

#include "ocr/observe/message_log.hpp"

#include "ocr/observe/observe_local.hpp"

namespace weir::ocr {

namespace {

trace::MessageNote note_of(const TracedMessage& message) noexcept {
  return {message.name, message.block, static_cast<std::uint32_t>(message.other)};
}

}  // namespace

constinit std::atomic<MessageLog*> MessageLog::running_{nullptr};

void MessageLog::sent(const TracedMessage& message, std::uint64_t task) noexcept {
  const base::Lock lock(mutex_);
  row_.sent(message.kind, task, message.bytes, note_of(message));
}

void MessageLog::received(const TracedMessage& message, std::uint64_t task, std::uint64_t since) noexcept {
  const base::Lock lock(mutex_);
  row_.received(since, message.kind, task, message.bytes, note_of(message));
}

void trace_contents_sent(const ObserveLocal& local, Rank to, const TracedContents& contents) noexcept {
  if (MessageLog* const log = MessageLog::running()) log->sent(contents.between(to), local.traced);
}

void trace_contents_came_back(const ObserveLocal& local, Rank from, const TracedContents& contents) noexcept {
  if (MessageLog* const log = MessageLog::running())
    log->received(contents.between(from), local.traced, trace::Track::now());
}

}  // namespace weir::ocr
