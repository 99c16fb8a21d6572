// SPDX-License-Identifier: Apache-2.0

#include "ocr/ranks/message_trace.hpp"

#include <iterator>
#include <utility>

#include "ocr/graph/local.hpp"
#include "ocr/objects/home.hpp"
#include "runtime/rank_tracing.hpp"
#include "trace/details.hpp"

namespace weir::ocr {

namespace {

using trace::RankMessage;

// Ranks that only say how they are, and the end of the program, are in no trace.
bool is_recorded(Say what) noexcept { return !is_control(what) && what != Say::end && what != Say::stopped; }

// Contents of blocks are recorded where they go and come (observe/message_log.hpp).
bool carries_contents(Say what) noexcept { return what == Say::lent || what == Say::give_back; }

// In the order of RankRequest: what a rank does for another.
constexpr const char* kNames[] = {"for a rank: request",      "for a rank: create EDT", "for a rank: create event",
                                  "for a rank: create block", "for a rank: satisfy",    "for a rank: add dependence",
                                  "for a rank: destroy",      "for a rank: look up",    "for a rank: contribute",
                                  "for a rank: use block"};
static_assert(std::size(kNames) == std::size(trace::kRankRequestNames));

TracedMessage traced(const Passing& message) noexcept {
  return {message.is_answer ? RankMessage::answer : RankMessage::request,
          message.other,
          {message.number, static_cast<std::uint64_t>(request_of(message.what))},
          message.bytes};
}

bool is_to_itself(const Passing& message) noexcept { return message.other == homes().self(); }

}  // namespace

void MessageTrace::sends(const Passing& message) noexcept {
  if (!is_recorded(message.what) || is_to_itself(message)) return;
  if (carries_contents(message.what) && !message.is_answer) return;
  const Local* const local = known_local();
  log_.sent(traced(message), local == nullptr ? 0 : local->traced);
}

void MessageTrace::begins(const Passing& message) noexcept {
  Local* const local = is_recorded(message.what) ? ocr::local() : nullptr;
  if (local == nullptr || local->worker->track() == nullptr) {
    performing_.task = 0;
    return;
  }
  const std::uint64_t task = runtime::new_traced_number(), came = trace::Track::now();
  { const trace::Details details(*local->worker->track(), trace::Track::spawned(came, task, 0, 0), 0); }
  if (!is_to_itself(message) && !carries_contents(message.what)) log_.received(traced(message), task, came);
  performing_ = {task, trace::Track::now(), std::exchange(local->traced, task), message.what};
}

void MessageTrace::has_performed() noexcept {
  if (performing_.task == 0) return;
  Local& local = *ocr::local();
  local.worker->track()->task(performing_.start, trace::Track::now(), performing_.task,
                              kNames[static_cast<std::size_t>(request_of(performing_.what))], false);
  local.traced = performing_.before;
}

void MessageTrace::answered(const Passing& answer, std::uint64_t since) noexcept {
  if (!is_recorded(answer.what)) return;
  const Local* const local = known_local();
  log_.received(traced(answer), local == nullptr ? 0 : local->traced, since);
  if (local == nullptr || local->worker->track() == nullptr) return;
  local->worker->track()->search(since + 1);
  local->worker->track()->wait(since, trace::WaitFor::other);
}

}  // namespace weir::ocr
