// SPDX-License-Identifier: Apache-2.0

#include "ocr/program/program.hpp"

#include "base/mutex.hpp"
#include "runtime/workers.hpp"

namespace weir::ocr {

ProgramLocal::ProgramLocal(sched::Worker& w, Program& p) : worker(&w), program(p) {
  const base::Lock lock(p.mutex_);
  p.locals_.push_back(this);
}

ProgramLocal::~ProgramLocal() {
  const base::Lock lock(program.mutex_);
  std::erase(program.locals_, this);
}

void Program::begin(Runtime& runtime, sched::Scheduler& scheduler) noexcept {
  runtime_ = &runtime;
  scheduler_ = &scheduler;
}

void Program::shut_down(u8 code) noexcept {
  const bool is_first = !shutting_down();
  shut_down_here(code);
  if (elsewhere_ != nullptr && (is_first || code != 0)) elsewhere_->program_ends(code);
}

void Program::shut_down_here(u8 code) noexcept {
  if (code != 0) exit_code_.store(code, std::memory_order_relaxed);
  shutting_down_.store(true, std::memory_order_release);  // DOWN-1
  scheduler_->for_each_worker([](const sched::Worker& worker) { const_cast<sched::Worker&>(worker).unpark(); });
}

// DOWN-2: of two changes of one word the later sees what was done before the earlier. So either the first worker finds
// no late EDT, or the thread that ends the last finds that it waits.
void Program::count_late(std::int64_t change) noexcept {
  if (late_.fetch_add(change) + change == 0 && shutting_down()) scheduler_->first_worker().unpark();
}

// PROGRESS-1: first what has ended, then what became ready: an EDT that ends between the two makes them differ.
Program::Progress Program::progress() {
  std::uint64_t ended = 0, readied = 0;
  for_each_local([&](const ProgramLocal& l) { ended += l.activity.ended.load(std::memory_order_acquire); });
  const std::int64_t blocked = blocked_.load(std::memory_order_acquire);
  for_each_local([&](const ProgramLocal& l) { readied += l.activity.readied.load(std::memory_order_acquire); });
  bool idle = readied - ended == static_cast<std::uint64_t>(blocked);
  // Tasks of the C++ API may bring about what EDTs wait for.
  if (idle) scheduler_->for_each_worker([&](const sched::Worker& worker) { idle = idle && !worker.runs_task(); });
  return {idle, ended};
}

}  // namespace weir::ocr
