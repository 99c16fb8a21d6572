// SPDX-License-Identifier: Apache-2.0

#include "shmem/status/deadlock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "platform/clock.hpp"
#include "platform/thread_state.hpp"
#include "shmem/status/wait_text.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

constexpr std::uint64_t kLongNs = 1'000'000'000;      // a wait that may be one for ever
constexpr std::uint64_t kClaimEveryNs = 500'000'000;  // that it is looked whether there is something outside
constexpr std::uint64_t kRoundsAfter = 3;             // the third begins and ends after what was seen before the first
constexpr std::size_t kMostTexts = 32;                // in the message

}  // namespace

Deadlock::Deadlock(StatusPage& page, Outside outside) : page_(page), outside_(std::move(outside)) {
  page_.standing.version.store(1);
  page_.standing.claimed.store(0);
  page_.standing.rounds.store(0);
}

// STAND-1: before a thread that has waited does anything else, and before one that begins to wait is counted.
void Deadlock::change() { page_.standing.version.fetch_add(1); }

int Deadlock::begin(const Awaited& what, std::string routine) {
  const std::lock_guard lock(mutex_);
  change();
  auto place = std::find_if(waiters_.begin(), waiters_.end(), [](const Waiter& one) { return one.thread == 0; });
  if (place == waiters_.end()) place = waiters_.insert(place, Waiter{});
  *place = {static_cast<std::uint32_t>(platform::this_thread_number()), what, std::move(routine), 0};
  return static_cast<int>(place - waiters_.begin());
}

void Deadlock::end(int number) {
  const std::lock_guard lock(mutex_);
  change();
  waiters_[static_cast<std::size_t>(number)] = {};
}

bool Deadlock::go_on(int number, const Awaited& what, std::uint64_t waited_ns) {
  {
    const std::lock_guard lock(mutex_);
    Waiter& waiter = waiters_[static_cast<std::size_t>(number)];
    waiter.what = what;
    count_round(waiter);
    if (waited_ns < kLongNs || !claim(platform::now_ns())) return false;
  }
  look_at_all();
  return true;
}

// A round ends when each thread has been here in it.
void Deadlock::count_round(Waiter& waiter) {
  const std::uint64_t round = page_.standing.rounds.load() + 1;
  waiter.round = round;
  const bool is_over = std::all_of(waiters_.begin(), waiters_.end(),
                                   [&](const Waiter& one) { return one.thread == 0 || one.round == round; });
  if (is_over) page_.standing.rounds.store(round);
}

bool Deadlock::claim(std::uint64_t now) {
  Standing& standing = page_.standing;
  const std::uint64_t version = standing.version.load();
  if (standing.claimed.load() == version) return true;
  if (now < next_claim_ns_) return false;
  next_claim_ns_ = now + kClaimEveryNs;
  if (!stands_still()) return false;
  const std::string words = text();
  standing.text[words.copy(standing.text, sizeof(standing.text) - 1)] = '\0';
  standing.claimed.store(version);  // STAND-2: after all that it says was so
  return true;
}

// All that this PE has asked of others is done, and each of its threads waits for what others do.
bool Deadlock::stands_still() const {
  std::vector<std::uint32_t> threads;
  for (const Waiter& waiter : waiters_) {
    if (waiter.thread == 0) continue;
    if (waiter.what.kind == Awaited::Kind::unknown) return false;
    threads.push_back(waiter.thread);
  }
  return world().transport->is_quiet() && outside_.is_empty(threads);
}

std::string Deadlock::text() const {
  Pages pages(page_);
  std::string all;
  for (const Waiter& waiter : waiters_) {
    if (waiter.thread == 0) continue;
    const std::string one = fmt::format("in {}, {}", waiter.routine.empty() ? "a SHMEM call" : waiter.routine,
                                        wait_text(waiter.what, pages));
    if (all.find(one) == std::string::npos) all += (all.empty() ? "" : "; ") + one;
  }
  return all;
}

// Whether it falls to this PE to look at all: those before it have left, and do not.
bool Deadlock::is_first(Pages& pages) const {
  for (int pe = 0; pe < world().my_pe; ++pe) {
    if (!pages.has_left(pe)) return false;
  }
  return true;
}

// All PEs but those that have left, when there was a time at which all of them stood still; else nothing.
std::vector<Deadlock::Seen> Deadlock::find_all_standing(Pages& pages) const {
  const Standing& mine = page_.standing;
  std::vector<Seen> all;
  for (int pe = 0; pe < world().n_pes; ++pe) {
    if (pages.has_left(pe)) continue;
    const std::uint64_t version = pages.read(pe, mine.version);
    if (pages.read(pe, mine.claimed) != version) return {};
    all.push_back({pe, version, 0});
  }
  for (Seen& seen : all) {
    if (pages.read(seen.pe, mine.version) != seen.version) return {};  // STAND-3
    seen.rounds = pages.read(seen.pe, mine.rounds);
  }
  return all;
}

bool Deadlock::have_looked_again(Pages& pages) const {
  return std::all_of(seen_.begin(), seen_.end(), [&](const Seen& seen) {
    const std::uint64_t rounds = pages.read(seen.pe, page_.standing.rounds);
    return rounds >= seen.rounds + kRoundsAfter && pages.read(seen.pe, page_.standing.version) == seen.version;
  });
}

void Deadlock::look_at_all() {
  const std::unique_lock lock(looking_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  Pages pages(page_);
  if (!is_first(pages)) return;
  if (seen_.empty()) {
    seen_ = find_all_standing(pages);
    return;
  }
  const bool is_same = std::all_of(seen_.begin(), seen_.end(), [&](const Seen& seen) {
    return pages.read(seen.pe, page_.standing.version) == seen.version;
  });
  if (!is_same) {
    seen_.clear();
  } else if (have_looked_again(pages)) {
    fail_all(pages);
  }
}

void Deadlock::fail_all(Pages& pages) const {
  std::map<std::string, std::vector<int>> pes_of;  // by what they wait for
  for (int pe = 0; pe < world().n_pes; ++pe) pes_of[pages.has_left(pe) ? "" : pages.text(pe)].push_back(pe);
  std::string text = world().n_pes == 1 ? "waits for itself:" : "all PEs wait, and nothing can end that:";
  std::size_t told = 0;
  for (const auto& [what, pes] : pes_of) {
    if (++told > kMostTexts) break;
    const char* const gone = pes.size() == 1 ? "has left: it has called shmem_finalize, or has returned from main"
                                             : "have left: they have called shmem_finalize, or have returned from main";
    fmt::format_to(std::back_inserter(text), "{} {} {}", told == 1 ? "" : ";", pes_text(pes),
                   what.empty() ? gone : what);
  }
  if (pes_of.size() > kMostTexts) text += fmt::format("; and so on, {} different waits in all", pes_of.size());
  fail(text);
}

}  // namespace weir::shmem
