#include "check/calls.hpp"

#include <utility>

namespace weir::check {

using platform::StoppedThread;

namespace {

void open_for_call(ThreadState& thread) {
  thread.opened_for_call = state->watch.is_closed();
  if (!thread.opened_for_call) return;
  state->watch.open(true);
  thread.call_epoch = state->watch.epoch();
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

}  // namespace

// All is opened to a call that is given something watched, and to one that was refused something that its arguments do
// not show; to others nothing is: they may take long.
void let_call_pass(ThreadState& thread, StoppedThread& stopped) {
  if (stopped.change_signal_mask()) return;
  StoppedThread::Memory given[64];
  const std::size_t count = stopped.call_memory(given, std::size(given));
  thread.call = stopped.call_number();
  thread.opened_for_call = false;
  bool concerned = stopped.call_makes_process();
  for (std::size_t i = 0; i < count; ++i) {
    if (state->running != nullptr) credit(*state->running, given[i]);
    concerned = concerned || state->watch.has_any(given[i].start, given[i].bytes);
  }
  if (concerned) open_for_call(thread);
  thread.call_changed = stopped.let_process_keep_handlers();
  thread.stepping = thread.stepping_call = true;
  stopped.step_over_system_call();
}

void call_has_passed(ThreadState& thread, StoppedThread& stopped) {
  if (!thread.opened_for_call && stopped.call_was_refused()) {
    open_for_call(thread);
    thread.stepping = thread.opened_for_call;
    if (thread.stepping) return stopped.make_call_again(thread.call);
  }
  thread.stepping_call = false;
  thread.opened_count = 0;
  put_back_arguments(thread);
  if (thread.opened_for_call && thread.call_epoch == state->watch.epoch()) state->watch.close();
}

}  // namespace weir::check
