// SPDX-License-Identifier: Apache-2.0

// When checking begins and ends: with the first runtime, with the last, with the process, and in children of fork();
// and the library's one entry.
#include "checker/checker.hpp"

#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "checker/faults/closing_gate.hpp"
#include "checker/faults/library_calls.hpp"
#include "checker/hooks/tables.hpp"
#include "checker/hooks/turn.hpp"

namespace weir::checker {

constinit Checker the_checker;
constinit StatePointer state;

State::State()
    : pool(&own),
      order(&pool),
      shadow(order, &pool),
      gate_pool(&own),
      watch(&gate_pool),
      instructions(&gate_pool),
      origins(&gate_pool),
      told(&gate_pool) {}

namespace {

bool* is_active = nullptr;  // libweir's

// What goes through all tables touches more pages than a hook opens one by one.
void open_for_end() {
  const ClosingGate gate(this_thread());
  state->watch.open(this_thread().run != nullptr);
}

// Some programs end without destroying their runtimes.
void at_exit() {
  if (state == nullptr) return;
  const Pause pause;
  open_for_end();
  const GateLock lock(state->gate);
  if (!state->link.is_open()) return;
  tell_untouched();
  tell_counts();
}

// The child has one thread, which needs no lock, and all of the parent's memory as it is now: nothing of it is checked.
void after_fork_in_child() WEIR_NOT_ANALYSED {
  if (state == nullptr) return;
  state->watch.open(true);
  state->link.forget();
  ThreadState& thread = this_thread();
  thread.run = nullptr;
  thread.turn = thread.pauses = 0;
  thread.held = 0;
  thread.holds_system_calls = false;
  *is_active = false;
  state.pointer = nullptr;
  tables = nullptr;
}

// Before any other thread can know the state, and without the gate: it uses malloc().
base::Status open_link(State& made, const char* socket) WEIR_NOT_ANALYSED {
  if (base::Status status = made.link.open(socket, can_hold_system_calls()); !status) return status;
  made.all_exact = made.link.wants_all_exact();
  return base::Status::success();
}

}  // namespace

base::Status Checker::start(Options& options, const char* socket) {
  options.workers = 1;
  options.bind = Bind::none;
  options.throttle = 0;
  options.tiers.clear();
  options.trace.clear();
  if (state != nullptr) {
    ++state->runtimes;
    return base::Status::success();
  }
  void* const memory = platform::map_memory(sizeof(State));  // never given back
  if (memory == nullptr) return {base::Code::no_space, "weir check cannot map memory for itself"};
  auto* const made = ::new (memory) State;
  state.pointer = made;
  base::Status status = install_handlers();
  if (status) status = open_link(*made, socket);
  if (!status) {
    state.pointer = nullptr;
    return status;
  }
  tables = new Tables;
  state->runtimes = 1;
  pthread_atfork(nullptr, nullptr, &after_fork_in_child);
  std::atexit(&at_exit);
  install_library_calls();
  *is_active = true;
  return base::Status::success();
}

void Checker::runtime_ended() {
  const Pause pause;
  open_for_end();
  if (--state->runtimes == 0 && this_thread().run == nullptr) {
    for (auto& [scope, data] : tables->scopes) forget_regions(*data);
    tables->scopes.clear();
    tables->unfinished = 0;  // EDTs that never ran
    forget_order();
  }
  const GateLock lock(state->gate);
  if (state->runtimes == 0) tell_untouched();
  tell_counts();
}

}  // namespace weir::checker

extern "C" [[gnu::visibility("default")]] weir::check::Entry weir_check_hooks;
weir::check::Hooks* weir_check_hooks(const char* version, bool* active) {
  if (std::strcmp(version, WEIR_VERSION) != 0) return nullptr;
  weir::checker::is_active = active;
  return &weir::checker::the_checker;
}
