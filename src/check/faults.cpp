// The handlers of SIGSEGV, SIGTRAP and SIGSYS: an access to a closed page is judged, and made by letting the thread run
// that one instruction with the page open.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

#include "check/state.hpp"

namespace weir::check {

using platform::Instruction;
using platform::StoppedThread;
using platform::TouchedBytes;

namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local ThreadState* current_thread = nullptr;

constexpr std::size_t kRedZone = 256;  // below the stack pointer, that code may use
bool system_calls_can_be_held = false;

bool is_let_through(const ThreadState& thread, std::uintptr_t address) noexcept {
  const std::uintptr_t* const end = thread.opened + thread.opened_count;
  return std::find(thread.opened, end, address) != end;
}

void let_through(ThreadState& thread, std::uintptr_t address, const Page& page) noexcept {
  if (is_let_through(thread, address)) return;
  if (thread.opened_count == ThreadState::kMostOpened) return;
  thread.opened[thread.opened_count++] = address;
  Watch::let_through(address, page);
}

void step(ThreadState& thread, StoppedThread& stopped) noexcept {
  thread.stepping = true;
  stopped.step();
}

bool is_of_string_function(std::uintptr_t instruction) {
  if (instruction < state->libc_start || instruction >= state->libc_end) return false;
  const std::uintptr_t function = start_of_function(reinterpret_cast<const void*>(instruction + 1));
  return std::find(std::begin(state->copying), std::end(state->copying), function) == std::end(state->copying);
}

const KnownInstruction& known(std::uintptr_t instruction) {
  const auto [found, is_new] = state->instructions.try_emplace(instruction);
  if (is_new) found->second = {state->link.decode(instruction), is_of_string_function(instruction)};
  return found->second;
}

// String functions of the C library read whole vectors, of which they use the part that was meant.
bool reads_more_than_it_uses(const KnownInstruction& instruction, const TouchedBytes& touched) {
  return instruction.may_read_more && !touched.writes && touched.bytes >= 16;
}

const Frames* origin_of(const ThreadState& thread, const StoppedThread& stopped) {
  const auto [found, is_new] = state->origins.try_emplace({stopped.instruction(), thread.run->task->site});
  if (is_new) take_frames(found->second, stopped.instruction(), thread.run);
  return &found->second;
}

void report(ThreadState& thread, const StoppedThread& stopped, const Breach& breach, bool writes) {
  const FindingKey key{breach.kind, stopped.instruction(), thread.run != nullptr ? thread.run->task->site : nullptr,
                       nullptr};
  if (const auto known = state->told.find(key); known != state->told.end()) {
    ++known->second.times;
    return;
  }
  Finding finding =
      make_finding(breach.kind, thread.run != nullptr ? thread.run->task : nullptr, breach.address, breach.bytes);
  if (finding.region.kind == RegionKind::beyond_block) finding.kind = FindingKind::beyond;
  const bool released = breach.item != nullptr && breach.item->released;
  if (released || finding.region.kind == RegionKind::dead_block) finding.kind = FindingKind::released;
  finding.writes = writes ? 1 : 0;
  if (breach.item != nullptr) {
    finding.mode = static_cast<std::uint32_t>(breach.item->mode);
    finding.item = breach.item->index;
    if (breach.item->ocr_mode != 0) finding.mode = breach.item->ocr_mode;
  }
  take_frames(finding.at, stopped.instruction(), thread.run);
  tell(finding, key);
}

// [start, end) is what the access touches of the page.
void judge_on_page(ThreadState& thread, const StoppedThread& stopped, std::uintptr_t address, const Page& page,
                   const Bits& bytes, bool writes, bool lenient) {
  Run& run = *thread.run;
  RunPage& rights = run.page(address, &state->pool);
  Bits judged = bytes;
  if (lenient && run.restricted && (bytes & (rights.readable - rights.fresh)).any()) judged = bytes & rights.readable;
  const Breach breach = judge(run, rights, page, address, judged, writes, origin_of(thread, stopped));
  if (breach.found) report(thread, stopped, breach, writes);
}

bool on_own_stack(const Run& run, const StoppedThread& stopped, std::uintptr_t address) noexcept {
  return address < run.stack && address + kRedZone >= stopped.stack();
}

Bits bytes_on(std::uintptr_t page, const TouchedBytes& touched) {
  Bits bits;
  const auto add = [&](std::uintptr_t start, std::uintptr_t end) {
    start = std::max(start, page);
    end = std::min(end, page + kPageBytes);
    if (start < end) bits.set(start - page, end - page);
  };
  if (touched.element_bytes == 0) {
    add(touched.start, touched.start + touched.bytes);
    return bits;
  }
  for (std::size_t i = 0; i * touched.element_bytes < touched.bytes; ++i) {
    const std::uintptr_t start = touched.start + i * touched.element_bytes;
    if ((touched.lanes >> i & 1) != 0) add(start, start + touched.element_bytes);
  }
  return bits;
}

// All that the operand touches on watched pages, open or not: what is open may be left unseen, but is not wrong.
void judge_operand(ThreadState& thread, const StoppedThread& stopped, const TouchedBytes& touched, bool lenient) {
  for (std::uintptr_t page = page_of(touched.start); page < touched.start + touched.bytes; page += kPageBytes) {
    Page* const found = state->watch.find(page);
    if (found == nullptr || on_own_stack(*thread.run, stopped, std::max(page, touched.start))) continue;
    const Bits bytes = bytes_on(page, touched);
    if (touched.reads) judge_on_page(thread, stopped, page, *found, bytes, false, lenient);
    if (touched.writes) judge_on_page(thread, stopped, page, *found, bytes, true, false);
    if (state->watch.state_of(*found) != PageState::open) let_through(thread, page, *found);
  }
}

bool covers(const TouchedBytes& touched, std::uintptr_t address) noexcept {
  return address >= page_of(touched.start) && address < touched.start + touched.bytes;
}

void take_back_opened(ThreadState& thread) noexcept {
  for (std::uint32_t i = 0; i < thread.opened_count; ++i) {
    const Page* const page = state->watch.find(thread.opened[i]);
    if (page != nullptr) state->watch.take_back(thread.opened[i], *page);
  }
  thread.opened_count = 0;
}

// The task may have the page for itself from here on, for what it has done there.
bool open_for_good(ThreadState& thread, const StoppedThread& stopped, std::uintptr_t address, Page& page, bool writes) {
  Run& run = *thread.run;
  RunPage& rights = run.page(address, &state->pool);
  const PageState wanted = may_open(run, rights, page);
  if (wanted == PageState::closed || (writes && wanted != PageState::open)) return false;
  const PageState given = writes ? PageState::open : PageState::readable;
  leave_open(run, rights, page, address, given, origin_of(thread, stopped));
  state->watch.open_page(address, page, given);
  return true;
}

template <class Visit>
void for_pages(const TouchedBytes& touched, Visit&& visit) {
  for (std::uintptr_t at = page_of(touched.start); at < touched.start + touched.bytes; at += kPageBytes)
    if (const Page* const page = state->watch.find(at)) visit(at, *page);
}

void judge_access(ThreadState& thread, StoppedThread& stopped, Page& page) {
  ++state->accesses;
  const std::uintptr_t address = page_of(stopped.address());
  const bool writes = stopped.faulted_writing();
  if (!on_own_stack(*thread.run, stopped, stopped.address()) && open_for_good(thread, stopped, address, page, writes))
    return;
  const KnownInstruction& known_instruction = known(stopped.instruction());
  const Instruction& instruction = known_instruction.code;
  bool seen = false;
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    TouchedBytes touched;
    if (!stopped.touched(instruction, instruction.operands[i], touched)) continue;
    judge_operand(thread, stopped, touched, reads_more_than_it_uses(known_instruction, touched));
    seen = seen || covers(touched, stopped.address());
  }
  if (!seen && !on_own_stack(*thread.run, stopped, stopped.address())) {
    const std::size_t bytes =
        instruction.operand_count == 0 ? 1 : std::max(1u, unsigned{instruction.operands[0].element_bytes});
    judge_operand(thread, stopped, {stopped.address(), bytes, !writes, writes}, false);
  }
  let_through(thread, address, page);
  if (instruction.repeated_move || instruction.repeated_store) {
    TouchedBytes moved[Instruction::kMostOperands];
    for (std::size_t i = 0; i < instruction.operand_count; ++i)
      static_cast<void>(stopped.touched(instruction, instruction.operands[i], moved[i]));
    for (const TouchedBytes& touched : moved)
      for_pages(touched, [](std::uintptr_t at, const Page& other) { Watch::let_through(at, other); });
    stopped.finish_repeated(instruction);
    for (const TouchedBytes& touched : moved)
      for_pages(touched, [](std::uintptr_t at, const Page& other) { state->watch.take_back(at, other); });
    return take_back_opened(thread);
  }
  step(thread, stopped);
}

// A thread that runs no task while another one does, for itself or for that task.
void credit_running_task(std::uintptr_t address, const Page& page) {
  Run* const run = state->running;
  if (run == nullptr) return;
  run->helped = true;
  for (Item& item : run->items)
    if (item.extent.overlaps(address, address + kPageBytes)) item.touched = true;
  const auto found = run->pages.find(address);
  if (found != run->pages.end()) found->second.fresh = {};
  static_cast<void>(page);
}

// The page was closed when the thread touched it, and is not watched any more now that the thread has the gate: the
// instruction is tried again. A fault that comes again and again is the program's own.
bool came_too_late(ThreadState& thread, const StoppedThread& stopped) noexcept {
  constexpr int kMostTimes = 100;
  if (!stopped.faulted_on_protection()) return false;
  if (std::exchange(thread.late_instruction, stopped.instruction()) != stopped.instruction()) thread.late_times = 0;
  return ++thread.late_times < kMostTimes;
}

// False: the fault is none of ours.
bool handle_fault(ThreadState& thread, StoppedThread& stopped) {
  const std::uintptr_t address = page_of(stopped.address());
  Page* const page = state->watch.find(address);
  if (page == nullptr) return came_too_late(thread, stopped);
  if (!stopped.faulted_on_protection()) return false;
  thread.late_instruction = 0;
  if (stopped.faulted_writing() && (page->protection & PROT_WRITE) == 0) return false;
  if (thread.stepping) {  // the same instruction, on another page
    let_through(thread, address, *page);
    return true;
  }
  if (thread.restricted()) {
    judge_access(thread, stopped, *page);
    return true;
  }
  if (page->strict && thread.pauses == 0) {
    report(thread, stopped, {true, FindingKind::outside, stopped.address(), 1, nullptr}, stopped.faulted_writing());
  } else if (thread.run == nullptr) {
    credit_running_task(address, *page);
  }
  let_through(thread, address, *page);
  step(thread, stopped);
  return true;
}

// A handler has met a closed page itself: it gets it, until it returns. Reads nothing that could be closed, too.
bool handle_nested(ThreadState& thread, std::uintptr_t address) noexcept {
  if (thread.nested_count == ThreadState::kMostOpened) return false;
  for (std::uint32_t i = 0; i < thread.nested_count; ++i)
    if (thread.nested[i] == address) return false;
  thread.nested[thread.nested_count++] = address;
  return platform::protect(address, kPageBytes, PROT_READ | PROT_WRITE) == 0;
}

// First of all in a handler: from here on it may meet closed pages itself, those with the checker's globals among them.
class InHandler {
 public:
  explicit InHandler(ThreadState& thread) noexcept : thread_(thread) {
    thread_.held = 0;
    thread_.in_handler = true;
    errno_ = errno;
    state_ = state.pointer;
    if (state_ != nullptr) state_->gate.lock();
  }
  ~InHandler() {
    errno = errno_;
    if (state_ != nullptr) take_back_nested();
    thread_.nested_count = 0;
    thread_.in_handler = false;
    if (!thread_.stepping) thread_.hold_calls();
  }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;

  bool is_active() const noexcept { return state_ != nullptr; }

 private:
  void take_back_nested() noexcept {
    for (std::uint32_t i = 0; i < thread_.nested_count; ++i) {
      const Page* const page = state_->watch.find(thread_.nested[i]);
      if (page != nullptr && !is_let_through(thread_, thread_.nested[i]))
        state_->watch.take_back(thread_.nested[i], *page);
    }
    state_->gate.unlock();
  }

  ThreadState& thread_;
  int errno_ = 0;
  State* state_ = nullptr;
};

ThreadState& this_thread(StoppedThread& stopped) noexcept {
  const bool is_new = current_thread == nullptr;
  ThreadState& thread = check::this_thread();
  if (is_new) stopped.keep_signal_stack(thread.signal_stack(), ThreadState::kSignalStackBytes);
  return thread;
}

// A thread that a task has started, before it does anything. Its system calls are held for good.
void begin_helping(StoppedThread& stopped) noexcept {
  ThreadState& thread = this_thread(stopped);
  thread.helps = true;
  thread.holds_system_calls = platform::hold_system_calls(&thread.held);
  thread.hold_calls();
}

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

void on_fault(int signal, void* info, void* context) {
  StoppedThread stopped(info, context);
  ThreadState& thread = this_thread(stopped);
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
  if (!thread->stepping_call) return take_back_opened(*thread);
  if (!thread->opened_for_call && stopped.call_was_refused()) {
    open_for_call(*thread);
    thread->stepping = thread->opened_for_call;
    if (thread->stepping) return stopped.make_call_again(thread->call);
  }
  thread->stepping_call = false;
  thread->opened_count = 0;
  put_back_arguments(*thread);
  if (thread->opened_for_call && thread->call_epoch == state->watch.epoch()) state->watch.close();
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

// The kernel heeds what is closed. All is opened to a call that is given something watched, and to one that was refused
// something that its arguments do not show; to others nothing is: they may take long.
void on_system_call(int, void* info, void* context) {
  StoppedThread stopped(info, context);
  ThreadState& thread = this_thread(stopped);
  const InHandler scope(thread);
  if (!scope.is_active() || stopped.change_signal_mask()) return;
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

int find_code_of_libc(dl_phdr_info* info, std::size_t, void*) {
  if (info->dlpi_name == nullptr || std::strstr(info->dlpi_name, "/libc.so") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD || (info->dlpi_phdr[i].p_flags & PF_X) == 0) continue;
    state->libc_start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    state->libc_end = state->libc_start + info->dlpi_phdr[i].p_memsz;
  }
  return 1;
}

void find_libc() {
  dl_iterate_phdr(&find_code_of_libc, nullptr);
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  if (libc == nullptr) return;
  std::size_t count = 0;
  for (const char* const name : {"memcpy", "memmove", "mempcpy", "memcmp"})
    if (const auto* const function = static_cast<const char*>(dlsym(libc, name)))
      state->copying[count++] = start_of_function(function + 1);
  dlclose(libc);
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
  platform::use_signal_stack(made->signal_stack(), ThreadState::kSignalStackBytes);
  return *made;
}

std::uintptr_t page_of_thread_record() noexcept { return page_of(reinterpret_cast<std::uintptr_t>(&current_thread)); }

bool can_hold_system_calls() noexcept { return system_calls_can_be_held; }

base::Status install_handlers() {
  find_libc();
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
  return base::Status::success();
}

}  // namespace weir::check
