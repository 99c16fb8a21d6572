// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <typeinfo>

#include "data/store.hpp"
#include "platform/symbol_names.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/spawn_scope.hpp"
#include "sched/worker.hpp"

namespace weir::runtime {

bool blocks_wait_for_room(const Runtime& runtime) noexcept {
  const data::Store* const store = detail::RuntimeAccess::state(runtime)->blocks->find_store();
  return store != nullptr && store->tracked();
}

bool is_in_task(const Runtime& runtime) noexcept {
  sched::Worker* const worker = find_worker_in(*detail::RuntimeAccess::state(runtime));
  return worker != nullptr && worker->frame().outer != nullptr;
}

std::size_t block_count(const Runtime& runtime) {
  return detail::RuntimeAccess::state(runtime)->blocks->live_blocks().size();
}

namespace {

using trace::WaitFor;

bool waits_for(const sched::Frame& frame, WaitFor what) noexcept {
  const std::uintptr_t subject = frame.waits_for.seen();
  return subject != 0 && sched::Condition::what_of(subject) == what;
}

// A throttled thread spawns again after a while.
bool spawns_later(const sched::Scheduler& scheduler) {
  bool some = false;
  scheduler.for_each_worker([&](const sched::Worker& worker) {
    worker.for_each_frame([&](const sched::Frame& frame) { some |= waits_for(frame, WaitFor::room); });
  });
  return some;
}

bool program_waits(sched::Scheduler& scheduler) {
  const sched::Frame* outermost = nullptr;
  scheduler.first_worker().for_each_frame([&](const sched::Frame& frame) {
    if (outermost == nullptr) outermost = &frame;
  });
  return waits_for(*outermost, WaitFor::children) || waits_for(*outermost, WaitFor::task);
}

}  // namespace

Quiescence quiescence_of(const Runtime& runtime) {
  State& state = *detail::RuntimeAccess::state(runtime);
  sched::Scheduler& scheduler = *state.scheduler;
  const bool is_still = scheduler.is_still() && program_waits(scheduler) && !spawns_later(scheduler);
  // Behind that: what a worker has done before it came to rest is seen (REST-1).
  Quiescence seen{.late_ends = state.late_ends.load()};
  data::Activity blocks;
  if (data::Store* const store = state.blocks->find_store()) blocks = store->activity();
  seen.is_quiescent = is_still && blocks.transfers == 0 && blocks.waiting == 0;
  seen.events = blocks.changes;
  scheduler.for_each_worker([&](const sched::Worker& worker) {
    // Relaxed: see above.
    seen.events += worker.statistics().run.load(std::memory_order_relaxed) + worker.spawned();
  });
  return seen;
}

FailureWatch::FailureWatch(Runtime& runtime) : scope_(&scope_of(worker_in(*detail::RuntimeAccess::state(runtime)))) {}

std::optional<std::string> FailureWatch::failure() const {
  std::optional<std::string> text;
  scope_->look_at_failure([&](const std::exception_ptr& failure) { text = text_of(failure); });
  return text;
}

std::string text_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();  // null: of another language
    return type == nullptr ? "an exception of unknown type"
                           : fmt::format("an exception of type {}", platform::type_name(*type));
  }
}

}  // namespace weir::runtime
