#include "ocr/finish_scope.hpp"

#include "ocr/event.hpp"
#include "ocr/local.hpp"

namespace weir::ocr {

namespace {
constinit Immortal<ObjectTable<FinishScope>> the_scopes;
}  // namespace

FinishScope& make_scope(Local& local, FinishScope* parent, Guid output) {
  FinishScope& scope = the_scopes.value.allocate(local.scopes);
  scope.count.store(1, std::memory_order_relaxed);
  scope.parent = parent;
  scope.output = output;
  scope.result = {};
  return scope;
}

void free_scope(Local& local, FinishScope& scope) noexcept { the_scopes.value.free(local.scopes, scope); }

void leave_scope(Local& local, FinishScope* scope, std::int64_t count) {
  while (scope != nullptr) {
    // SCOPE-1: release publishes what the leaving EDTs did; acquire, by the last, for who the output event releases.
    if (scope->count.fetch_sub(count, std::memory_order_acq_rel) != count) return;
    if (!scope->output.is_null()) forward_output(local, scope->output, scope->result);
    FinishScope* const parent = scope->parent;
    free_scope(local, *scope);
    scope = parent;
    count = 1;
  }
}

}  // namespace weir::ocr
