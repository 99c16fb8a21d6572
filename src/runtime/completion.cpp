// SPDX-License-Identifier: Apache-2.0

#include "runtime/completion.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "check/hooks.hpp"
#include "sched/worker.hpp"
#include "weir/error.hpp"

namespace weir {

using detail::OpenCompletion;

namespace {

runtime::State& state_of(const OpenCompletion& open) noexcept { return *open.scope->owner()->scheduler().owner; }

// Counted as open until what waits for it has been told: while it is, something can happen.
void end(std::unique_ptr<OpenCompletion> open, std::exception_ptr failure) noexcept {
  runtime::State& state = state_of(*open);
  const runtime::Completing completing(state);
  if (failure) open->scope->fail(std::move(failure));
  open->scope->close_completion(*open->node);
  state.late_ends.fetch_sub(1);
}

std::unique_ptr<OpenCompletion> take(std::atomic<OpenCompletion*>& from, const char* what) {
  // DONE-1: what was moved here was written before; one of several threads gets it.
  if (OpenCompletion* const open = from.exchange(nullptr, std::memory_order_acq_rel))
    return std::unique_ptr<OpenCompletion>(open);
  throw Error(
      fmt::format("{} of a Completion that was completed before, or moved from: each is completed once, where "
                  "it was moved to",
                  what));
}

// Nobody can complete it any more.
[[gnu::cold]] void drop(OpenCompletion* open) noexcept {
  if (open == nullptr) return;
  const std::string task = open->name == nullptr ? "a task" : fmt::format("task '{}'", open->name);
  Error error(
      fmt::format("{} ends later, and its Completion was destroyed before complete() was called: keep it until "
                  "what the task has begun has ended, then complete it",
                  task));
  end(std::unique_ptr<OpenCompletion>(open), std::make_exception_ptr(std::move(error)));
}

[[noreturn, gnu::cold]] void refuse_outside(const char* what) {
  throw Error(
      fmt::format("{} outside of a task, or in the half of a fork_join() that another thread has taken: it is the "
                  "running task that ends later; call it in the function of a task",
                  what));
}

const sched::Task& running_task(sched::Worker* worker, const char* what) {
  const sched::Task* const task = worker == nullptr ? nullptr : worker->frame().task;
  if (task == nullptr) refuse_outside(what);
  return *task;
}

}  // namespace

Completion& Completion::operator=(Completion&& other) noexcept {
  if (this != &other)
    // DONE-1: acquires what the other was given, and releases it to whoever takes it from here.
    drop(open_.exchange(other.open_.exchange(nullptr, std::memory_order_acq_rel), std::memory_order_acq_rel));
  return *this;
}

Completion::~Completion() { drop(open_.load(std::memory_order_acquire)); }  // DONE-1

void Completion::complete() { end(take(open_, "complete()"), nullptr); }

void Completion::fail(std::exception_ptr exception) {
  if (!exception) throw Error("fail() of a Completion without an exception: give it one, or call complete()");
  end(take(open_, "fail()"), std::move(exception));
}

const char* detail::name_of_task_that(const char* what) {
  return running_task(sched::Worker::current(), what).note.name();
}

Completion end_later() {
  sched::Worker* const worker = sched::Worker::current();
  const sched::Task& task = running_task(worker, "end_later()");
  if (check::active()) [[unlikely]] {
    const check::Pause pause;
    check::hooks().ends_later();
  }
  auto open = std::make_unique<OpenCompletion>();
  open->name = task.note.name();
  open->scope = &runtime::scope_of(*worker);
  open->node = &open->scope->open_completion(sched::trace_id_of(worker->frame().task));  // last: it is to end now
  // Relaxed: who looks has seen since then that the worker has come to rest (REST-1).
  state_of(*open).late_ends.fetch_add(1, std::memory_order_relaxed);
  return detail::CompletionAccess::make(open.release());
}

}  // namespace weir
