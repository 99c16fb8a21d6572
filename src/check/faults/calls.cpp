#include "check/faults/calls.hpp"

#include <algorithm>
#include <utility>

#include "check/faults/access.hpp"
#include "check/faults/standstill.hpp"

namespace weir::check {

using platform::StoppedThread;

namespace {

void open_for_call(ThreadState& thread, CallOpening opening) {
  const bool some =
      opening == CallOpening::given || state->watch.is_closed();  // blocks are closed outside of tasks, too
  thread.opened_for_call = some ? opening : CallOpening::nothing;
  if (thread.opened_for_call == CallOpening::nothing) return;
  if (!thread.restricted()) open_window(thread);
  if (opening == CallOpening::all) {
    state->watch.open(true);
    thread.call_epoch = state->watch.epoch();
    return;
  }
  for (std::uint32_t i = 0; i < thread.given_count; ++i)
    state->watch.let_through_all(thread.given[i].start, thread.given[i].bytes);
}

void close_after_call(ThreadState& thread) {
  switch (std::exchange(thread.opened_for_call, CallOpening::nothing)) {
    case CallOpening::nothing: break;
    case CallOpening::given:
      for (std::uint32_t i = 0; i < thread.given_count; ++i)
        state->watch.take_back_all(thread.given[i].start, thread.given[i].bytes);
      break;
    case CallOpening::all:
      if (thread.call_epoch == state->watch.epoch()) state->watch.close();
      break;
  }
}

void put_back_arguments(ThreadState& thread) noexcept {
  const StoppedThread::Changed changed = std::exchange(thread.call_changed, {});
  if (changed.where != nullptr) *changed.where = changed.before;
}

// What a system call is given counts as touched, and as written: what it does there is not seen.
void credit(Run& run, const StoppedThread::Memory& memory) {
  for (Item& item : run.items) {
    if (item.extent.empty() || memory.start < item.extent.base || memory.start >= item.extent.end()) continue;
    item.touched = true;
    item.out = false;
    for (auto& [address, page] : run.pages) {
      Bits own;
      add(own, item.extent, address);
      page.fresh = page.fresh - own;
    }
  }
}

// A call of the program on a block, outside of tasks.
void report_buffer(ThreadState& thread, const StoppedThread& stopped) {
  const auto [start, bytes] = thread.call_buffer;
  for (std::uintptr_t at = page_of(start); at < start + bytes; at += kPageBytes) {
    const Page* const page = state->watch.find(at);
    if (page == nullptr || !page->strict) continue;
    return report_outside(thread, stopped, std::max(at, start), thread.call_writes);
  }
}

}  // namespace

// To a call that is given something watched that is opened, or all: to one that makes a process, to one that was
// refused something that its arguments do not show, and to those of the task itself, beside which it does nothing.
void let_call_pass(ThreadState& thread, StoppedThread& stopped) {
  if (stopped.change_signal_mask()) return;
  thread.given_count = static_cast<std::uint32_t>(stopped.call_memory(thread.given, ThreadState::kMostGiven));
  thread.call = stopped.call_number();
  thread.call_waits_for_futex = stopped.call_waits_for_futex();
  thread.opened_for_call = CallOpening::nothing;
  thread.call_has_buffer = stopped.call_buffer(thread.call_buffer, thread.call_writes);
  if (thread.call_has_buffer && thread.run == nullptr) report_buffer(thread, stopped);
  bool concerned = false;
  for (std::uint32_t i = 0; i < thread.given_count; ++i) {
    if (state->running != nullptr && !(thread.call_has_buffer && thread.restricted()))
      credit(*state->running, thread.given[i]);
    concerned = concerned || state->watch.has_any(thread.given[i].start, thread.given[i].bytes);
  }
  // What else runs while a task is in one of its calls is not judged.
  const bool all = stopped.call_makes_process() || (thread.restricted() && !thread.call_waits_for_futex);
  if (concerned || stopped.call_makes_process()) open_for_call(thread, all ? CallOpening::all : CallOpening::given);
  thread.call_changed = stopped.let_process_keep_handlers();
  thread.stepping = thread.stepping_call = true;
  stopped.step_over_system_call();
}

void call_has_passed(ThreadState& thread, StoppedThread& stopped) {
  if (thread.opened_for_call != CallOpening::all && stopped.call_was_refused()) {
    open_for_call(thread, CallOpening::all);
    thread.stepping = thread.opened_for_call == CallOpening::all;
    if (thread.stepping) return stopped.make_call_again(thread.call);
  }
  const std::int64_t done = stopped.call_result();
  if (thread.call_has_buffer && thread.restricted() && done > 0)
    judge_call(thread, stopped, thread.call_buffer.start, static_cast<std::size_t>(done), thread.call_writes);
  thread.stepping_call = false;
  thread.opened_count = 0;
  put_back_arguments(thread);
  close_after_call(thread);
}

bool close_for_sleeper(ThreadState& thread) {
  if (!thread.call_waits_for_futex || thread.opened_for_call == CallOpening::all) return false;
  close_after_call(thread);
  return true;
}

}  // namespace weir::check
