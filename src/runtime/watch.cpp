// SPDX-License-Identifier: Apache-2.0

#include "runtime/watch.hpp"

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
    return "an exception of unknown type";
  }
}

}  // namespace weir::runtime
