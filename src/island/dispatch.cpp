// SPDX-License-Identifier: Apache-2.0

// What a master gives to workers, collects from them and runs itself, and how it waits.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/mutex.hpp"
#include "island/master.hpp"
#include "island/policy/place.hpp"
#include "platform/clock.hpp"

namespace weir::island {

// How many tasks a worker is given at a time: as many as there are slots, unless the master is to run some itself.
std::uint32_t Master::State::room() const noexcept {
  const auto most = static_cast<std::uint32_t>(own_.runs_when);
  return most == 0 ? Mailbox::kSlots : most;
}

bool Master::State::give_ready(std::uint32_t most) {
  bool any = false;
  while (graph_.has_ready()) {
    if (!failure_.empty()) {
      TaskNode& task = *graph_.take_ready();
      task.state = TaskState::done;
      task.cancelled = true;
      completed_.push_back(&task);
      any = true;
      continue;
    }
    const int worker = policy::place({queued_, most, turn_});
    if (worker == policy::kNobody) break;
    turn_ = static_cast<std::uint32_t>(worker + 1) % static_cast<std::uint32_t>(workers_.size());
    give(workers_[static_cast<std::size_t>(worker)], *graph_.take_ready_for(static_cast<std::uint16_t>(worker)));
    any = true;
  }
  return any;
}

void Master::State::Worker::post(SharedMemory& memory, std::span<const std::byte> text) noexcept {
  TaskLetter& letter = mailbox->slot(next).task;
  std::memcpy(letter.payload().data(), text.data(), text.size());
  letter.post(memory, next, text.size());
  next = Mailbox::after(next);
  if (is_rung) mailbox->bell.ring();
}

void Master::State::give(Worker& worker, TaskNode& task) {
  const auto index = static_cast<std::size_t>(&worker - workers_.data());
  copies_->fill(task);
  if (own_.retries != 0) task.details->undo.save(space_->memory(), task.details->named);
  const std::uint32_t number = worker.next;
  worker.post(space_->memory(), task.details->letter);
  if (worker.given.empty()) worker.busy_since = platform::ticks();
  worker.given.push_back({&task, number});
  task.state = TaskState::given;
  task.worker = static_cast<std::uint16_t>(index);
  ++queued_[index];
}

// What workers have done since the last look. True when there was anything. A task that a worker has given to another
// one may have been done with before those that it was given earlier.
bool Master::State::collect() {
  bool any = false;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    Worker& worker = workers_[i];
    for (Given& given : worker.given) {
      if (given.task == nullptr) continue;
      const auto letter = worker.mailbox->slot(given.number).done.take(space_->memory(), given.number);
      if (letter && take_done(*given.task, static_cast<std::uint32_t>(i), *letter)) {
        given.task = nullptr;
        any = true;
      } else if (!own_.shares) {
        break;
      }
    }
    while (!worker.given.empty() && worker.given.front().task == nullptr) worker.given.pop_front();
    if (!worker.ended) queued_[i] = static_cast<std::uint32_t>(worker.given.size());
  }
  return any;
}

// False: what it says of tasks that it has made is not there yet.
bool Master::State::take_done(TaskNode& task, std::uint32_t given_to, std::span<const std::byte> letter) {
  Done done;
  std::memcpy(&done, letter.data(), sizeof done);
  Worker& worker = workers_[static_cast<std::size_t>(done.by)];
  const bool is_next = done.children_bytes == 0 || worker.children.position() == done.children_from;
  if (!is_next || !worker.children.receive(space_->memory(), done.children_bytes)) return false;
  task.worker = static_cast<std::uint16_t>(done.by);
  if (done.by != given_to) ++counts_.shared;
  worker.idle += done.taken - std::min(done.taken, worker.seen);
  worker.staging += done.fresh - done.taken + (done.written - done.ended);
  worker.running += done.ended - done.fresh;
  worker.tasks += 1;
  if (worker.track != nullptr) worker.trace_done(task, done);
  worker.seen = std::max(worker.seen, done.written);
  const char* const text = reinterpret_cast<const char*>(letter.data() + sizeof done);
  finish(task, done, {text, done.text_bytes}, worker.children.bytes().first(done.children_bytes));
  if (done.children_bytes != 0) worker.children.clear();
  return true;
}

void Master::State::finish(TaskNode& task, const Done& done, std::string_view thrown,
                           std::span<const std::byte> children) {
  task.failed = done.failed != 0;
  ++counts_.run;
  counts_.bytes_staged += task.details->bytes;
  if (!children.empty() && failure_.empty()) {
    task.state = TaskState::parent;  // it is completed with the last of them
    try {
      submit_children(task, children);
    } catch (const Error& error) {  // the heap is used up
      failure_ = fmt::format("{} made tasks: {}", title_of(task), error.what());
    }
  }
  if (task.details->children == nullptr) {
    task.state = TaskState::done;
    completed_.push_back(&task);
  }
  if (!failure_.empty()) return;
  if (task.failed) {
    failure_ = fmt::format("{} threw: {}", title_of(task), thrown);
  } else if (done.unwritten != nullptr) {
    const auto offset = static_cast<const std::byte*>(done.unwritten) - space_->heap().start();
    failure_ = fmt::format(
        "{} wrote to the line at {}, {} bytes into the islands' memory, which its footprint does not "
        "declare: on islands no other process would see it",
        title_of(task), done.unwritten, offset);
  }
}

void Master::State::Worker::trace_done(const TaskNode& task, const Done& done) {
  track->search(std::min(seen, done.taken), done.taken);
  track->stage(done.taken, done.fresh, task.id);
  track->task(done.fresh, done.ended, task.id, task.details->name, false);
  track->stage(done.ended, done.written, task.id);
}

// Where the workers have enough to do: one ready task, here. They get all that they have room for first.
bool Master::State::run_own() {
  if (own_.runs_when == 0 || !graph_.has_ready() || !failure_.empty()) return false;
  TaskNode& task = *graph_.take_ready_for(kMaster);
  give_ready(Mailbox::kSlots);
  copies_->fill(task);
  task.state = TaskState::given;
  task.worker = kMaster;
  std::string thrown;
  Done done;
  {
    const base::Unlock unlocked(mutex_);  // for a thread that explains
    done = runner_->run(task.details->letter, thrown);
  }
  ++counts_.own_tasks;
  counts_.own_staging += done.fresh - done.taken + (done.written - done.ended);
  counts_.own_running += done.ended - done.fresh;
  if (track_ != nullptr) {
    track_->stage(done.taken, done.fresh, task.id);
    track_->task(done.fresh, done.ended, task.id, task.details->name, false);
    track_->stage(done.ended, done.written, task.id);
  }
  finish(task, done, thrown, runner_->children());
  return true;
}

void Master::State::release_one() {
  TaskNode& task = *completed_.front();
  completed_.pop_front();
  task.held = !copies_->is_next(task);
  if (task.held) return;
  if (task.cancelled) ++counts_.cancelled;
  if (!task.cancelled && !task.failed) {
    const std::string wrong = copies_->merge(task);
    if (!wrong.empty() && failure_.empty()) failure_ = fmt::format("{} {}", title_of(task), wrong);
  }
  for (TaskNode* const next : copies_->leave(task))
    if (next->held) completed_.push_back(next);
  if (task.details->spilled != nullptr) {
    static_cast<void>(space_->heap().give_back(task.details->spilled));
    task.details->spilled = nullptr;
  }
  if (TaskNode* const parent = graph_.leave_family(task)) {
    parent->state = TaskState::done;
    completed_.push_back(parent);
  }
  graph_.release(task);
  const std::vector<std::uint64_t> joins = graph_.take_ended_joins();
  if (track_ == nullptr) return;
  for (const std::uint64_t join : joins) {
    const std::uint64_t now = trace::Track::now();
    track_->task(now, now, join, "the end of several tasks", false);
  }
}

// True when anything was done.
bool Master::State::poll() {
  bool any = collect();
  any |= give_ready(room());
  while (!completed_.empty() && !graph_.has_ready()) {
    release_one();
    give_ready(room());
    any = true;
  }
  if (!completed_.empty()) {  // all workers have as much as they can take
    release_one();
    any = true;
  }
  return any;
}

void Master::State::wait_until(std::size_t most) {
  if (graph_.unfinished() <= most) return;
  const std::uint64_t start = track_ != nullptr ? trace::Track::now() : 0;
  Patience patience(options_.park_after);
  std::uint64_t idle_since = 0;
  while (graph_.unfinished() > most) {
    const std::uint64_t looked = idle_since != 0 ? platform::ticks() : 0;  // what it then does is no idle time
    if (poll() || run_own()) {
      patience.reset();
      if (idle_since != 0) counts_.idle += looked - std::exchange(idle_since, 0);
      continue;
    }
    if (idle_since == 0) idle_since = platform::ticks();
    bool slept = false;
    {
      const base::Unlock unlocked(mutex_);  // for a thread that explains
      slept = patience.wait();
    }
    if (slept) look_after_workers();
  }
  if (track_ != nullptr) track_->wait(start, most == 0 ? trace::WaitFor::children : trace::WaitFor::room);
}

void Master::State::wait() {
  const base::Lock lock(mutex_);
  if (!broken_.empty()) throw Error(broken_);
  wait_until(0);
  fetch_results();
  if (!failure_.empty()) throw Error(std::exchange(failure_, {}));
}

}  // namespace weir::island
