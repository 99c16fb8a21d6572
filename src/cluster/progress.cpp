// SPDX-License-Identifier: Apache-2.0

#include "cluster/progress.hpp"

#include <fmt/format.h>

#include "platform/clock.hpp"
#include "platform/start_thread.hpp"
#include "runtime/rank_tracing.hpp"
#include "trace/track.hpp"

namespace weir::cluster {

namespace {

// How long it sleeps at most: as long as the end of the runtime may wait for it.
constexpr std::uint64_t kNapNs = 5'000'000;
// Workers that have asked so lately will do so again, unless they say that they do not. Their tasks may be longer.
constexpr std::uint64_t kRecentNs = 1'000'000;
// Before a rank is named lost, so often, and so long after one another, it is looked whether another reason comes.
constexpr int kLooksForReason = 300;
constexpr std::uint64_t kLookForReasonNs = 1'000'000;
// What has not come for so long is asked for, or for twice as long.
constexpr std::uint64_t kSilenceNs = 100'000'000;

}  // namespace

Progress::Progress(transport::Transport& transport, Exchange& exchange, Runtime& runtime)
    : transport_(transport),
      exchange_(exchange),
      runtime_(runtime),
      tasks_(runtime),
      thread_(platform::start_thread("weir progress", [this] { run(); })) {
  if (transport_.ranks() > 1) begin_asking(*this);
}

Progress::~Progress() {
  end_asking(*this);
  ends_.store(true);
  hand_over();
  thread_.join();
}

bool Progress::ask() noexcept {
  if (!asked_.load()) asked_.store(true);
  return transport_.progress();
}

bool Progress::look_until(std::uint64_t end_ns) noexcept {
  static_cast<void>(transport_.progress());
  if (platform::now_ns() < end_ns) return true;
  hand_over();
  return false;
}

void Progress::run_all_arrived() noexcept {
  while (transport_.progress()) {
  }
}

// The thread says that it naps before it looks once more whether it is to; this one says that it is to before it looks
// whether the thread naps. All four are sequentially consistent, so one sees the other.
void Progress::hand_over() noexcept {
  asked_.store(false);
  if (naps_.load()) parker_.unpark();
}

bool Progress::workers_ask() noexcept { return asked_.exchange(false); }

void Progress::look_for_failures() {
  if (exchange_.has_failed()) return;
  if (const auto failure = tasks_.failure()) return exchange_.announce_own_failure(*failure);
  if (const auto lost = transport_.lost()) note_lost(*lost);
}

// A rank that has failed says so before it ends: its message is run first. It may come by way of others, one that it
// has told before this one may have ended, too, and another thread may be about to run it: there is some time for it.
void Progress::note_lost(const transport::Lost& lost) {
  run_all_arrived();
  if (++looks_since_loss_ < kLooksForReason)
    static_cast<void>(parker_.park_for(kLookForReasonNs));
  else
    exchange_.fail(fmt::format("rank {} is lost: {}", static_cast<std::uint32_t>(lost.rank), lost.why));
}

void Progress::look_for_silence() noexcept {
  const std::uint64_t now = platform::now_ns();
  const bool is_due = now >= next_inquiry_;
  if (is_due) {
    next_inquiry_ = now + kSilenceNs;
    exchange_.inquire();
  }
  if (is_due || exchange_.has_mail_of_standstill())
    exchange_.look_for_standstill(now, [this] { return runtime::quiescence_of(runtime_); });
}

void Progress::run() {
  while (!ends_.load()) {
    naps_.store(true);
    const bool leaves_it = workers_ask() && !ends_.load();
    if (leaves_it) parker_.park_for(kRecentNs);
    naps_.store(false);
    if (!leaves_it) run_all_arrived();
    look_for_failures();
    look_for_silence();
    // Looks for lost ranks, too. Where workers look for messages no sender is to believe that it has to wake somebody.
    transport_.wait_for_arrival(leaves_it ? 0 : kNapNs);
  }
}

base::Status Progress::barrier(Meeting at) {
  constexpr std::uint64_t kLookForNs = 50'000;
  const std::uint64_t end = platform::now_ns() + kLookForNs, since = trace::Track::now();
  base::Status status = exchange_.barrier(at, [this, end] { return look_until(end); });
  runtime::trace_idle(since);
  return status;
}

}  // namespace weir::cluster
