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

FailureWatch::FailureWatch(Runtime& runtime) : scope_(&scope_of(worker_in(*detail::RuntimeAccess::state(runtime)))) {}

std::exception_ptr FailureWatch::failure() const noexcept { return scope_->failure(); }

}  // namespace weir::runtime
