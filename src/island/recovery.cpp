// SPDX-License-Identifier: Apache-2.0

// What a master does when a worker has died, and how it calls a task in messages.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/mutex.hpp"
#include "island/master.hpp"
#include "platform/clock.hpp"
#include "platform/source_lines.hpp"

namespace weir::island {

namespace {

bool is_in(const Answer& answer, std::uint32_t number) noexcept {
  const auto end = answer.numbers.begin() + answer.count;
  return std::find(answer.numbers.begin(), end, number) != end;
}

// Whether another worker has the task from `owner`, which has died: by the last answer of that one to it.
bool has_given_away(Space& space, std::uint32_t owner, std::uint32_t workers, std::uint32_t number) {
  for (std::uint32_t i = 0; i < partners(workers); ++i) {
    const std::uint32_t asker = asker_of(owner, i, workers);
    const auto last = space.mailbox(static_cast<int>(asker) + 1).shares[i].answer.look(space.memory());
    if (last.number == 0) continue;
    Answer answer;
    std::memcpy(&answer, last.bytes.data(), sizeof answer);
    if (is_in(answer, number)) return true;
  }
  return false;
}

}  // namespace

std::string Master::State::title_of(const TaskNode& task) const {
  const std::string name = task.details->name != nullptr ? fmt::format("task '{}'", task.details->name) : "a task";
  const auto source = platform::find_source(std::array{task.details->site});
  const std::string where = task.worker == kMaster ? "the master" : fmt::format("worker {}", task.worker + 1);
  return fmt::format("{}, spawned at {}, on {},", name, source.at(0).text(), where);
}

void Master::State::look_after_workers() {
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    const std::string how = worker.ended ? "" : worker.process.how_it_ended();
    if (how.empty() && !(worker.ended && own_.shares)) continue;
    collect();  // it may have done with tasks before
    const TaskNode* const oldest = worker.oldest();
    const std::string had = oldest == nullptr ? ";" : ", while it had " + title_of(*oldest);
    const std::string who = fmt::format("worker {} (process {}) {}", i + 1, worker.process.pid(),
                                        worker.ended ? "was given tasks by another one when it had died;" : how + had);
    const std::uint64_t before = counts_.rerun;
    if ((worker.ended || hand_over(worker)) && hand_over_shared(worker)) {
      const std::uint64_t tasks = counts_.rerun - before;
      if (how.empty() && tasks == 0) continue;
      std::fprintf(stderr, "weir: %s %llu task%s given to other workers\n", who.c_str(),
                   static_cast<unsigned long long>(tasks), tasks == 1 ? " is" : "s are");
      continue;
    }
    counts_.broken_at = platform::ticks();
    const std::size_t left = graph_.unfinished() - completed_.size();
    broken_ = fmt::format("{} {} task{} left undone", who, left, left == 1 ? " is" : "s are");
    throw Error(broken_);
  }
}

// What a dead worker had been given, but for what it has given to a worker that lives, others get. False: the one that
// it may have begun, the oldest, has run as often as it may, or no worker is left.
bool Master::State::hand_over(Worker& worker) {
  worker.ended = true;
  worker.died = platform::ticks();
  ++counts_.died;
  // Full for ever, so that nothing is placed there.
  queued_[static_cast<std::size_t>(&worker - workers_.data())] = Mailbox::kSlots;
  if (std::ranges::all_of(workers_, [](const Worker& other) { return other.ended; })) return false;
  if (own_.retries == 0) return false;
  const auto all = static_cast<std::uint32_t>(workers_.size());
  const auto self = static_cast<std::uint32_t>(&worker - workers_.data());
  std::vector<TaskNode*> tasks;
  for (Given& given : worker.given) {
    if (given.task == nullptr || (own_.shares && has_given_away(*space_, self, all, given.number))) continue;
    tasks.push_back(std::exchange(given.task, nullptr));
  }
  return take_back(tasks);
}

// The same for what others have given to a dead worker, also when they answer after its death: SHARE-3.
bool Master::State::hand_over_shared(Worker& worker) {
  if (!own_.shares) return true;
  const auto all = static_cast<std::uint32_t>(workers_.size());
  const auto self = static_cast<std::uint32_t>(&worker - workers_.data());
  for (std::uint32_t i = 0; i < partners(all); ++i) {
    Share& share = worker.mailbox->shares[i];
    const std::uint32_t asked = share.ask.look(space_->memory()).number;
    if (asked == worker.settled[i]) continue;
    const auto letter = share.answer.take(space_->memory(), asked);
    if (!letter) continue;
    worker.settled[i] = asked;
    Answer answer;
    std::memcpy(&answer, letter->data(), sizeof answer);
    std::vector<TaskNode*> tasks;
    for (Given& given : workers_[asked_by(self, i, all)].given) {
      if (given.task != nullptr && is_in(answer, given.number)) tasks.push_back(std::exchange(given.task, nullptr));
    }
    if (!take_back(tasks)) return false;
  }
  return true;
}

// Puts memory back to what it was before each of them, one of which, the first, may have been begun, and makes them the
// next to be given away. False: that one has run as often as it may.
bool Master::State::take_back(std::vector<TaskNode*>& tasks) {
  if (tasks.empty()) return true;
  if (tasks.front()->details->deaths++ == static_cast<unsigned>(own_.retries)) return false;
  counts_.rerun += tasks.size();
  for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) {
    (*task)->details->undo.restore(space_->memory());
    graph_.take_back(**task);
  }
  return true;
}

}  // namespace weir::island
