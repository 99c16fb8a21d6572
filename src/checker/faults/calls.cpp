// SPDX-License-Identifier: Apache-2.0

#include "checker/faults/calls.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "checker/faults/access.hpp"
#include "checker/faults/window.hpp"

namespace weir::checker {

using platform::StoppedThread;

namespace {

void open_for_call(ThreadState& thread, CallOpening opening) WEIR_REQUIRES(state->gate) {
  HeldCall& call = thread.call;
  const bool some =
      opening == CallOpening::given || state->watch.is_closed();  // blocks are closed outside of tasks, too
  call.opened = some ? opening : CallOpening::nothing;
  if (call.opened == CallOpening::nothing) return;
  if (!thread.restricted()) open_window(thread);
  if (opening == CallOpening::all) {
    state->watch.open(true);
    call.epoch = state->watch.epoch();
    return;
  }
  for (std::uint32_t i = 0; i < call.given_count; ++i)
    state->watch.let_through_all(call.given[i].start, call.given[i].bytes);
}

void close_after_call(HeldCall& call) WEIR_REQUIRES(state->gate) {
  switch (std::exchange(call.opened, CallOpening::nothing)) {
    case CallOpening::nothing: break;
    case CallOpening::given:
      for (std::uint32_t i = 0; i < call.given_count; ++i)
        state->watch.take_back_all(call.given[i].start, call.given[i].bytes);
      break;
    case CallOpening::all:
      if (call.epoch == state->watch.epoch()) state->watch.close();
      break;
  }
}

void put_back_arguments(HeldCall& call) noexcept {
  const StoppedThread::Changed changed = std::exchange(call.changed, {});
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

bool copy(ThreadState& thread, const StoppedThread::Memory& watched, std::uintptr_t to, std::uintptr_t from,
          std::size_t bytes) WEIR_REQUIRES(state->gate) {
  open_window(thread);
  state->watch.let_through_all(watched.start, bytes);
  const bool done = platform::copy_memory(to, from, bytes);
  state->watch.take_back_all(watched.start, bytes);
  close_window(thread);
  return done;
}

// A thread may sleep in read() or write() for as long as it likes: where it runs no task its call gets memory of the
// checker's own, and pages are open while that is copied only. False: it gets what it was given.
bool goes_by_copy(ThreadState& thread, StoppedThread& stopped) WEIR_REQUIRES(state->gate) {
  HeldCall& call = thread.call;
  const auto [start, bytes] = call.buffer;
  if (thread.run != nullptr || !call.has_buffer || !state->watch.has_any(start, bytes)) return false;
  for (std::uint32_t i = 1; i < call.given_count; ++i)
    if (state->watch.has_any(call.given[i].start, call.given[i].bytes)) return false;
  void* const memory = platform::map_memory(bytes);
  if (memory == nullptr) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  if (!call.writes && !copy(thread, call.buffer, at, start, bytes)) {
    platform::unmap_memory(memory, bytes);
    return false;
  }
  if (!call.writes) judge_call_beside(thread, stopped, start, bytes, false);
  call.copy = memory;
  stopped.give_call_buffer(at);
  return true;
}

void end_copy(ThreadState& thread, StoppedThread& stopped) WEIR_REQUIRES(state->gate) {
  HeldCall& call = thread.call;
  const auto [start, bytes] = call.buffer;
  void* const memory = std::exchange(call.copy, nullptr);
  if (const std::int64_t done = stopped.call_result(); call.writes && done > 0) {
    const std::size_t read = std::min(static_cast<std::size_t>(done), bytes);  // recv() may say how much there was
    judge_call_beside(thread, stopped, start, read, true);
    if (!copy(thread, call.buffer, start, reinterpret_cast<std::uintptr_t>(memory), read))
      stopped.give_call_result(-EFAULT);
  }
  platform::unmap_memory(memory, bytes);
  stopped.give_call_buffer(start);
}

}  // namespace

// To a call that is given something watched that is opened, or all: to one that makes a process, to one that was
// refused something that its arguments do not show, and to those of the task itself, beside which it does nothing.
void let_call_pass(ThreadState& thread, StoppedThread& stopped) {
  if (stopped.change_signal_mask()) return;
  HeldCall& call = thread.call;
  call.given_count = static_cast<std::uint32_t>(stopped.call_memory(call.given, HeldCall::kMostGiven));
  call.number = stopped.call_number();
  call.waits_for_futex = stopped.call_waits_for_futex();
  call.opened = CallOpening::nothing;
  call.copy = nullptr;  // not so when a handler has jumped out of the last one
  call.has_buffer = stopped.call_buffer(call.buffer, call.writes);
  if (!goes_by_copy(thread, stopped)) {
    bool concerned = stopped.call_makes_process();
    if (call.has_buffer && thread.run == nullptr)
      judge_call_beside(thread, stopped, call.buffer.start, call.buffer.bytes, call.writes);
    for (std::uint32_t i = 0; i < call.given_count; ++i) {
      if (state->running != nullptr && !(call.has_buffer && thread.restricted()))
        credit(*state->running, call.given[i]);
      concerned = concerned || state->watch.has_any(call.given[i].start, call.given[i].bytes);
    }
    // What else runs while a task is in one of its calls is not judged.
    const bool all = stopped.call_makes_process() || (thread.restricted() && !call.waits_for_futex);
    if (concerned) open_for_call(thread, all ? CallOpening::all : CallOpening::given);
  }
  call.changed = stopped.let_process_keep_handlers();
  thread.stepping = thread.stepping_call = true;
  stopped.step_over_system_call();
}

void call_has_passed(ThreadState& thread, StoppedThread& stopped) {
  HeldCall& call = thread.call;
  if (call.opened != CallOpening::all && call.copy == nullptr && stopped.call_was_refused()) {
    open_for_call(thread, CallOpening::all);
    thread.stepping = call.opened == CallOpening::all;
    if (thread.stepping) return stopped.make_call_again(call.number);
  }
  if (call.copy != nullptr) end_copy(thread, stopped);
  const std::int64_t done = stopped.call_result();
  if (call.has_buffer && thread.restricted() && done > 0)
    judge_call(thread, stopped, call.buffer.start, static_cast<std::size_t>(done), call.writes);
  thread.stepping_call = false;
  thread.opened.count = 0;
  put_back_arguments(call);
  close_after_call(call);
}

bool close_for_sleeper(ThreadState& thread) {
  if (!thread.call.waits_for_futex || thread.call.opened == CallOpening::all) return false;
  close_after_call(thread.call);
  return true;
}

}  // namespace weir::checker
