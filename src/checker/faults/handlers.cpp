// SPDX-License-Identifier: Apache-2.0

// The handlers of SIGSEGV, SIGTRAP and SIGSYS, and the record of each thread that they need.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "checker/faults/access.hpp"
#include "checker/faults/calls.hpp"
#include "checker/faults/library_calls.hpp"
#include "checker/faults/standstill.hpp"
#include "checker/faults/window.hpp"

namespace weir::checker {

using platform::StoppedThread;

namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadState* current_thread = nullptr;

bool system_calls_can_be_held = false;

// The page was closed when the thread touched it, and is not watched any more now that the thread has the gate: the
// instruction is tried again. A fault that comes again and again is the program's own.
bool came_too_late(ThreadState& thread, const StoppedThread& stopped) noexcept {
  constexpr int kMostTimes = 100;
  if (!stopped.faulted_on_protection()) return false;
  if (std::exchange(thread.late.instruction, stopped.instruction()) != stopped.instruction()) thread.late.times = 0;
  return ++thread.late.times < kMostTimes;
}

// False: the fault is none of ours.
bool handle_fault(ThreadState& thread, StoppedThread& stopped) WEIR_REQUIRES(state->gate) {
  const std::uintptr_t address = page_of(stopped.address());
  Page* const page = state->watch.find(address);
  if (page == nullptr) return came_too_late(thread, stopped);
  if (!stopped.faulted_on_protection()) return false;
  thread.late.instruction = 0;
  if (stopped.faulted_writing() && (page->protection & PROT_WRITE) == 0) return false;
  if (thread.stepping) {  // the same instruction, on another page
    let_through(thread, address, *page);
    return true;
  }
  if (thread.restricted()) {
    if (is_in_library_call(thread, stopped))
      judge_library_call(thread, stopped, *page);
    else
      judge_access(thread, stopped, *page);
    return true;
  }
  if (thread.run != nullptr && thread.turn != 0) {  // a hook: its own until it is over
    state->watch.open_page_for_hook(address, *page);
    return true;
  }
  const bool in_library_call = is_in_library_call(thread, stopped);
  if (page->strict && thread.pauses == 0 && !in_library_call)
    report_outside(thread, stopped, stopped.address(), stopped.faulted_writing());
  if (is_tasks_turn() && !thread.has_window) return true;  // and this one's again
  if (in_library_call) {
    judge_library_call(thread, stopped, *page);
    return true;
  }
  if (thread.run == nullptr) note_access_beside(thread, stopped);
  open_window(thread);
  let_through(thread, address, *page);
  step(thread, stopped);
  return true;
}

// A handler has met a closed page itself: it gets it, until it returns; once more when another thread's, which has met
// the same, has closed it behind itself. Reads nothing that could be closed, too.
bool handle_nested(ThreadState& thread, std::uintptr_t address) noexcept {
  constexpr std::uint32_t kMostTimes = 1000;
  if (++thread.nested_times == kMostTimes) return false;
  if (!thread.nested.has(address)) {
    if (thread.nested.is_full()) return false;
    thread.nested.add(address);
  }
  return platform::protect(address, kPageBytes, PROT_READ | PROT_WRITE) == 0;
}

// First of all in a handler: from here on it may meet closed pages itself, those with the checker's globals among them.
class WEIR_ANNOTATION(scoped_lockable) InHandler {
 public:
  // Not analysed: without a state there is no gate, and is_active() is asked before anything that needs it.
  explicit InHandler(ThreadState& thread) noexcept WEIR_ACQUIRE(state->gate) WEIR_NOT_ANALYSED : thread_(thread) {
    come_back(thread_);
    thread_.held = 0;
    thread_.in_handler = true;
    errno_ = errno;
    state_ = state.pointer;
    if (state_ != nullptr) state_->gate.lock();
  }
  ~InHandler() WEIR_RELEASE() WEIR_NOT_ANALYSED {
    errno = errno_;
    if (state_ != nullptr) take_back_nested();
    thread_.nested.count = thread_.nested_times = 0;
    thread_.in_handler = false;
    if (thread_.stepping || thread_.has_window) return;  // a window of a call of the library's is closed by its end
    thread_.hold_calls();
    if (state_ != nullptr) go_at_large(thread_);
  }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;

  bool is_active() const noexcept { return state_ != nullptr; }

 private:
  void take_back_nested() noexcept WEIR_NOT_ANALYSED {
    for (std::uint32_t i = 0; i < thread_.nested.count; ++i) {  // which may meet more
      const std::uintptr_t address = thread_.nested.pages[i];
      const Page* const page = state_->watch.find(address);
      const bool stays = is_let_through(thread_, address) || thread_.library_call.covers(address);
      if (page != nullptr && !stays) state_->watch.take_back(address, *page);
    }
    state_->gate.unlock();
  }

  ThreadState& thread_;
  int errno_ = 0;
  State* state_ = nullptr;
};

ThreadState& state_of(StoppedThread& stopped) noexcept {
  const bool is_new = current_thread == nullptr;
  ThreadState& thread = checker::this_thread();
  if (is_new) stopped.keep_signal_stack(thread.signal_stack(), ThreadState::kSignalStackBytes);
  return thread;
}

// A thread that a task has started, before it does anything. Its system calls are held for good.
void begin_helping(StoppedThread& stopped) noexcept {
  ThreadState& thread = state_of(stopped);
  thread.helps = true;
  thread.holds_system_calls = platform::hold_system_calls(&thread.held);
  thread.hold_calls();
}

void on_fault(int signal, void* info, void* context) {
  StoppedThread stopped(info, context);
  ThreadState& thread = state_of(stopped);
  if (thread.in_handler) {
    thread.held = 0;  // a hook may not have come to that
    if (!handle_nested(thread, page_of(stopped.address()))) platform::restore_default(signal);
    return;
  }
  const InHandler scope(thread);
  if (!scope.is_active() || !handle_fault(thread, stopped)) platform::restore_default(signal);
}

void on_step(int signal, void* info, void* context) {
  StoppedThread stopped(info, context);
  ThreadState* const thread = current_thread;
  if (!stopped.trapped_after_step()) {  // a breakpoint of the program
    platform::restore_default(signal);
    return;
  }
  stopped.run_on();
  if (thread == nullptr) return begin_helping(stopped);
  // A process that a task has made while it was stepping; with vfork() even the record is the maker's.
  if (!thread->stepping || platform::thread_number() != thread->number) return;
  thread->stepping = false;
  const InHandler scope(*thread);
  if (!scope.is_active()) return;
  if (thread->stepping_call)
    call_has_passed(*thread, stopped);
  else
    take_back_opened(*thread);
  if (!thread->stepping) close_window(*thread);
}

void on_system_call(int, void* info, void* context) {
  StoppedThread stopped(info, context);
  ThreadState& thread = state_of(stopped);
  const InHandler scope(thread);
  if (scope.is_active()) let_call_pass(thread, stopped);
}

}  // namespace

// What it calls may be closed to it in a handler, as long as there is no record that could say so: no function of the C
// library.
ThreadState& this_thread() noexcept {
  if (current_thread != nullptr) return *current_thread;
  void* const memory = platform::map_memory(sizeof(ThreadState) + kPageBytes + ThreadState::kSignalStackBytes);
  if (memory == nullptr) {
    platform::restore_default(SIGILL);
    __builtin_trap();
  }
  auto* const made = static_cast<ThreadState*>(memory);  // all its members begin as zero
  made->number = platform::thread_number();
  current_thread = made;
  if (State* const shared = state.pointer) {
    made->next = shared->threads;
    while (!shared->threads.compare_exchange_weak(made->next, made)) {
    }
  }
  platform::use_signal_stack(made->signal_stack(), ThreadState::kSignalStackBytes);
  return *made;
}

ThreadState* this_thread_if_known() noexcept { return current_thread; }

std::uintptr_t page_of_thread_record() noexcept { return page_of(reinterpret_cast<std::uintptr_t>(&current_thread)); }

bool can_hold_system_calls() noexcept { return system_calls_can_be_held; }

base::Status install_handlers() {
  volatile unsigned char held = 0;
  system_calls_can_be_held = platform::hold_system_calls(&held);
  if (system_calls_can_be_held) platform::hold_system_calls(nullptr);
  for (const auto& [signal, handler] :
       {std::pair{SIGSEGV, &on_fault}, {SIGTRAP, &on_step}, {SIGSYS, &on_system_call}}) {
    if (const int why = platform::install_handler(signal, handler)) {
      return {base::Code::unsupported,
              fmt::format("weir check cannot handle signal {}: {}", signal, std::strerror(why))};
    }
  }
  return install_stop_handler();
}

}  // namespace weir::checker
