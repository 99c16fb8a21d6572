// SPDX-License-Identifier: Apache-2.0

#include "checker/faults/library_calls.hpp"

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <utility>

#include "checker/faults/access.hpp"
#include "checker/faults/closing_gate.hpp"
#include "checker/faults/library_code.hpp"
#include "checker/faults/standstill.hpp"
#include "checker/faults/window.hpp"
#include "platform/redirect.hpp"

namespace weir::checker {

using platform::StoppedThread;
using platform::TouchedBytes;

namespace {

// What the call has opened is closed again. The pages of the thread's own stack are among what may be closed.
[[gnu::noinline]] void close_after_library_call(ThreadState& thread) noexcept {
  LibraryCall& call = thread.library_call;
  come_back(thread);
  {
    const ClosingGate gate(thread);
    call.has_opened = false;
    if (state != nullptr) {
      for (std::uint32_t i = 0; i < call.touched_count; ++i)
        state->watch.take_back_all(call.touched[i].start, call.touched[i].bytes);
      take_back_opened(thread);
      close_window(thread);
    }
  }
  thread.hold_calls();
  go_at_large(thread);
}

// The thread's record; null: nothing is to be noted. Threads that were there before get theirs while a task runs.
ThreadState* noting_thread() noexcept {
  ThreadState* const thread = this_thread_if_known();
  if (thread != nullptr) return thread->in_handler ? nullptr : thread;
  State* const shared = state.pointer;
  // Relaxed: whether there is a task, and nothing of it.
  if (shared == nullptr || std::atomic_ref(shared->running).load(std::memory_order_relaxed) == nullptr) return nullptr;
  return &this_thread();
}

// A function may end with a jump to another one, which returns to where the first one was called: here. A handler of
// the program's is further down the stack, or on another one.
bool is_jumped_to(const LibraryCall& call, std::uintptr_t frame) noexcept {
  constexpr std::uintptr_t kFrameBytes = 256;
  return frame < call.frame && call.frame - frame < kFrameBytes;
}

// What calls of the function go to. Nothing here may be a call of such a function itself.
template <std::size_t kIndex>
[[gnu::noinline]] std::uintptr_t note_and_call(std::uintptr_t a, std::uintptr_t b, std::uintptr_t c,
                                               std::uintptr_t d) noexcept {
  const LibraryCode code = library.code[kIndex];
  const auto caller = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ThreadState* const thread = noting_thread();
  if (thread == nullptr) return code(a, b, c, d);
  LibraryCall& call = thread->library_call;
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (call.function != 0) {
    if (library.range.contains(caller) || is_jumped_to(call, frame)) return code(a, b, c, d);  // a part of that call
    // A handler of the program's has interrupted it, or has jumped out of it.
    call.function = 0;
    if (call.has_opened) close_after_library_call(*thread);
  }
  call.judged = false;
  call.caller = caller;
  call.frame = frame;
  call.arguments[0] = a;
  call.arguments[1] = b;
  call.arguments[2] = c;
  call.arguments[3] = d;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  call.function = static_cast<int>(kIndex) + 1;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::uintptr_t result = code(a, b, c, d);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  call.function = 0;
  if (call.has_opened) [[unlikely]]
    close_after_library_call(*thread);
  return result;
}

template <std::size_t... kIndex>
constexpr std::array<LibraryCode, kLibraryFunctions> all_noting(std::index_sequence<kIndex...>) {
  return {&note_and_call<kIndex>...};
}
constexpr std::array<LibraryCode, kLibraryFunctions> kNoting =
    all_noting(std::make_index_sequence<kLibraryFunctions>());

void redirect() {
  std::array<platform::Redirection, kLibraryFunctions> wanted{};
  std::size_t count = 0;
  for (std::size_t i = 0; i < kLibraryFunctions; ++i)
    if (library.code[i] != nullptr)
      wanted[count++] = {kLibraryFunctionTable[i].name, address_of(library.code[i]), address_of(kNoting[i])};
  platform::redirect_calls({wanted.data(), count});
}

}  // namespace

// Of the functions those that the program has not replaced by its own.
void install_library_calls() {
  library.range = platform::code_around(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "__libc_start_main")));
  for (std::size_t i = 0; i < kLibraryFunctions; ++i) {
    const auto found = reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, kLibraryFunctionTable[i].name));
    if (library.range.contains(found)) library.code[i] = reinterpret_cast<LibraryCode>(found);
  }
  redirect();
}

void redirect_new_modules() {
  if (std::exchange(state->library_called_otherwise, false)) redirect();
}

bool is_in_library_call(const ThreadState& thread, const StoppedThread& stopped) noexcept {
  return thread.library_call.function != 0 && library.range.contains(stopped.instruction());
}

namespace {

// To the handler itself; what the call may touch stays open to it.
void open_to_read(std::uintptr_t address) WEIR_REQUIRES(state->gate) {
  const Page* const page = state->watch.find(address);
  if (page != nullptr && state->watch.state_of(*page) == PageState::closed) Watch::let_through(address, *page);
}

void judge_touched(ThreadState& thread, const StoppedThread& stopped, const TouchedBytes& touched)
    WEIR_REQUIRES(state->gate) {
  if (thread.restricted())
    judge_call(thread, stopped, touched.start, touched.bytes, touched.writes);
  else if (thread.run == nullptr && thread.pauses == 0)
    judge_call_beside(thread, stopped, touched.start, touched.bytes, touched.writes);
  else if (thread.run == nullptr)
    note_touched_beside(thread, stopped, touched);
}

// Before it goes on: what it overwrites says how far it reads.
void judge_whole(ThreadState& thread, const StoppedThread& stopped) WEIR_REQUIRES(state->gate) {
  LibraryCall& call = thread.library_call;
  const auto index = static_cast<std::size_t>(call.function - 1);
  ProgramMemory memory(&open_to_read);
  LibraryTouches touches;
  kLibraryFunctionTable[index].touches(call.arguments, library.code[index], memory, touches);
  call.touched_count = 0;
  call.has_opened = call.judged = true;
  thread.judged_place = call.caller;
  for (std::size_t i = 0; i < touches.count; ++i) {
    const TouchedBytes& touched = touches.list[i];
    judge_touched(thread, stopped, touched);
    call.touched[call.touched_count++] = {touched.start, touched.bytes};
    state->watch.let_through_all(touched.start, touched.bytes);
  }
  thread.judged_place = 0;
}

}  // namespace

void judge_library_call(ThreadState& thread, const StoppedThread& stopped, Page& page) {
  ++state->accesses;
  const std::uintptr_t address = page_of(stopped.address());
  LibraryCall& call = thread.library_call;
  if (thread.restricted() && open_for_good(thread, stopped, address, page, stopped.faulted_writing())) return;
  if (!thread.restricted()) open_window(thread);
  if (!call.judged) judge_whole(thread, stopped);
  if (call.covers(address) && !page.closed_for_good) return Watch::let_through(address, page);
  // Vectors reach as far as a page that the call does not mean.
  if (thread.opened.is_full()) take_back_opened(thread);
  let_through(thread, address, page);
}

}  // namespace weir::checker
