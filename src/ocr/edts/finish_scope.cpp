// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/finish_scope.hpp"

#include <atomic>
#include <new>
#include <utility>

#include "ocr/edts/edt_end.hpp"
#include "ocr/graph/local.hpp"

namespace weir::ocr {

namespace {

constexpr std::uint8_t kCredit = 64;

}  // namespace

// FINISH-1: several may open it at once, of which one does; release publishes it to the others.
sched::Scope& finish_scope(Edt& edt) {
  const std::atomic_ref<sched::Scope*> finish(edt.body().finish);
  sched::Scope* known = finish.load(std::memory_order_acquire);
  if (known != nullptr) [[likely]]
    return *known;
  auto* const made = new FinishScope(&edt.task());
  if (finish.compare_exchange_strong(known, made, std::memory_order_acq_rel, std::memory_order_acquire)) return *made;
  delete made;
  return *known;
}

void* FinishScope::operator new(std::size_t bytes) { return local()->scopes.allocate(bytes); }

// Also when the runtime of a program that has ended is taken apart.
void FinishScope::operator delete(void* memory) noexcept {
  if (Local* const here = local())
    here->scopes.free(memory);
  else
    ::operator delete(memory);
}

sched::Scope* FinishScope::close(std::exception_ptr&) noexcept {
  if (Local* const here = local()) {
    const bool outer = std::exchange(here->closing, true);
    finish_edt(*here, Edt::of(*parent()));
    here->closing = outer;
  }
  delete this;
  return nullptr;
}

// Only tasks of the C++ API are in scopes of spawn(); the others are EDTs.
Edt* edt_around(const Local& local) noexcept {
  if (local.performs) return nullptr;
  sched::Task* task = local.worker->frame().task;
  while (task != nullptr && task->scope->kind() == sched::ScopeKind::spawn) task = task->scope->parent();
  return task == nullptr ? nullptr : &Edt::of(*task);
}

namespace {

// No EDT runs here, but perhaps a task that is part of one, which therefore has not ended, nor has what encloses it.
[[gnu::noinline]] sched::Scope& enter_scope_in_task(Local& local) {
  Edt* const edt = edt_around(local);
  if (edt == nullptr) return local.scope;
  sched::Scope& scope = edt->has(Edt::kFinish) ? finish_scope(*edt) : *edt->task().scope;
  if (scope.parent() == nullptr) return local.scope;  // of no finish EDT: that of any worker will do
  scope.expect(1);
  return scope;
}

}  // namespace

sched::Scope& enter_scope(Local& local) {
  Run* const maker = local.current;
  if (maker == nullptr) [[unlikely]]
    return enter_scope_in_task(local);
  local.worker->note_recursion();
  if (maker->edt.has(Edt::kFinish)) {
    sched::Scope& own = finish_scope(maker->edt);
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

bool is_in_finish_scope(Local& local) noexcept {
  Edt* const maker = local.current != nullptr ? &local.current->edt : edt_around(local);
  return maker != nullptr && (maker->has(Edt::kFinish) || maker->task().scope->parent() != nullptr);
}

void leave_scope(Local& local, sched::Scope& scope, std::int64_t count) noexcept {
  if (scope.parent() != nullptr) local.worker->give_back(&scope, count);
}

}  // namespace weir::ocr
