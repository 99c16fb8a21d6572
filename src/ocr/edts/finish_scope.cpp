// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/finish_scope.hpp"

#include <new>

#include "ocr/edts/edt_end.hpp"
#include "ocr/graph/local.hpp"

namespace weir::ocr {

namespace {

constexpr std::uint8_t kCredit = 64;

// The scope of a finish EDT that runs. Its frame has it when its function has returned: until then that is for the
// tasks that it spawns by the C++ API.
sched::Scope& own_scope(Run& run) {
  if (run.finish == nullptr) run.finish = new FinishScope(&run.edt.task());
  return *run.finish;
}

}  // namespace

void* FinishScope::operator new(std::size_t bytes) { return local()->scopes.allocate(bytes); }

// Also when the runtime of a program that has ended is taken apart.
void FinishScope::operator delete(void* memory) noexcept {
  if (Local* const here = local())
    here->scopes.free(memory);
  else
    ::operator delete(memory);
}

FinishScope::~FinishScope() {
  if (Local* const here = local()) finish_edt(*here, Edt::of(*parent()));
}

sched::Scope& enter_scope(Local& local) {
  Run* const maker = local.current;
  if (maker == nullptr) return local.scope;
  local.worker->note_recursion();
  if (maker->edt.has(Edt::kFinish)) {
    sched::Scope& own = own_scope(*maker);
    own.count_spawned();
    return own;
  }
  sched::Scope& scope = *maker->edt.task().scope;
  if (scope.parent() == nullptr) return local.scope;  // of no finish EDT: that of any worker will do
  if (maker->credit == 0) {
    if (!local.worker->take_again(&scope, kCredit)) scope.expect(kCredit);
    maker->credit = kCredit;
  }
  --maker->credit;
  return scope;
}

void leave_scope(Local& local, sched::Scope& scope, std::int64_t count) noexcept {
  if (scope.parent() != nullptr) local.worker->give_back(&scope, count);
}

}  // namespace weir::ocr
