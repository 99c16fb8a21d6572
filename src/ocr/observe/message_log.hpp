// SPDX-License-Identifier: Apache-2.0

// MessageLog: what goes from rank to rank of an OCR program, as this rank's trace has it, in a row of its own. Any
// thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "ocr/objects/guid.hpp"
#include "trace/track.hpp"

namespace weir::ocr {

struct ObserveLocal;

// One message; its name is the same at both ends, and of no other message of that kind between these ranks.
struct TracedMessage {
  trace::RankMessage kind = trace::RankMessage::request;
  Rank other{};  // to whom, or from whom
  trace::MessageName name;
  std::uint64_t bytes = 0;
  trace::EdgeBlock block{};
};
// Contents of a data block: whether they go back to it, and the number that the rank has given them which borrows it.
struct TracedContents {
  Guid block;
  bool go_back = false;
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;  // 0: the other rank has them already

  TracedMessage between(Rank other) const noexcept {
    return {trace::RankMessage::block,
            other,
            {number, go_back ? std::uint64_t{1} : 0},
            bytes,
            trace::EdgeBlock::of(trace::BlockKind::guid, block.bits)};
  }
};

class MessageLog {
 public:
  explicit MessageLog(trace::Track& row) noexcept : row_(row) {}
  MessageLog(const MessageLog&) = delete;
  MessageLog& operator=(const MessageLog&) = delete;

  // That of the running program; null: there is no trace, or one rank.
  // SYS-1
  static MessageLog* running() noexcept { return running_.load(std::memory_order_acquire); }
  static void set_running(MessageLog* log) noexcept { running_.store(log, std::memory_order_release); }

  // Before it is sent, so that no receiver has it earlier. `task`: of this rank, as a trace means it; 0: none.
  void sent(const TracedMessage& message, std::uint64_t task) noexcept;
  // It is there, and `task` has wanted it since `since`.
  void received(const TracedMessage& message, std::uint64_t task, std::uint64_t since) noexcept;
  // For contents that this rank borrows.
  std::uint64_t next_number() noexcept { return numbers_.fetch_add(1) + 1; }

 private:
  static constinit std::atomic<MessageLog*> running_;  // SYS-1

  base::Mutex mutex_;
  trace::Track& row_;  // under the lock
  std::atomic<std::uint64_t> numbers_{0};
};

// Nothing is traced: each is one test.
// What the thread does sends contents to that rank, or has got them from there.
void trace_contents_sent(const ObserveLocal& local, Rank to, const TracedContents& contents) noexcept;
void trace_contents_came_back(const ObserveLocal& local, Rank from, const TracedContents& contents) noexcept;
// A number for contents that are borrowed; 0: there is no trace.
inline std::uint64_t number_for_contents() noexcept {
  MessageLog* const log = MessageLog::running();
  return log == nullptr ? 0 : log->next_number();
}

}  // namespace weir::ocr
