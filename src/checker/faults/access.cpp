// SPDX-License-Identifier: Apache-2.0

#include "checker/faults/access.hpp"

#include <algorithm>

#include "checker/faults/library_code.hpp"
#include "checker/tell/frames.hpp"
#include "checker/tell/telling.hpp"

namespace weir::checker {

using platform::Instruction;
using platform::StoppedThread;
using platform::TouchedBytes;

bool is_let_through(const ThreadState& thread, std::uintptr_t address) noexcept { return thread.opened.has(address); }

void let_through(ThreadState& thread, std::uintptr_t address, const Page& page) noexcept {
  if (!is_let_through(thread, address)) {
    if (thread.opened.is_full()) return;
    thread.opened.add(address);
  }
  Watch::let_through(address, page);  // once more: another thread may have closed it meanwhile
}

void step(ThreadState& thread, StoppedThread& stopped) noexcept {
  thread.stepping = true;
  stopped.step();
}

void take_back_opened(ThreadState& thread) noexcept {
  for (const std::uintptr_t address : thread.opened) {
    const Page* const page = state->watch.find(address);
    if (page != nullptr) state->watch.take_back(address, *page);
  }
  thread.opened.count = 0;
}

namespace {

constexpr std::size_t kRedZone = 256;  // below the stack pointer, that code may use

const KnownInstruction& known(std::uintptr_t instruction) WEIR_REQUIRES(state->gate) {
  const auto [found, is_new] = state->instructions.try_emplace(instruction);
  if (is_new) found->second = {state->link.decode(instruction), may_read_more_than_it_uses(instruction)};
  return found->second;
}

// String functions of the C library read whole vectors, of which they use the part that was meant.
bool reads_more_than_it_uses(const KnownInstruction& instruction, const TouchedBytes& touched) {
  return instruction.may_read_more && !touched.writes && touched.bytes >= 16;
}

// What tells apart where the thread does it: the instruction, or, in a function of the library's, the call.
std::uintptr_t place_of(const ThreadState& thread, const StoppedThread& stopped) noexcept {
  return thread.judged_place != 0 ? thread.judged_place : stopped.instruction();
}

// Of what the thread does for that run, its own or the one beside it.
const Frames* origin_of(const ThreadState& thread, const Run& run, const StoppedThread& stopped)
    WEIR_REQUIRES(state->gate) {
  const auto [found, is_new] = state->origins.try_emplace({place_of(thread, stopped), run.task->site});
  if (is_new) take_frames(found->second, stopped.instruction(), thread.run);
  return &found->second;
}

// Calls visit(touched) for each operand in memory. Nothing is known of some: then for what has faulted.
template <class Visit>
void for_each_touched(const Instruction& instruction, const StoppedThread& stopped, Visit&& visit)
    WEIR_REQUIRES(state->gate) {
  bool seen = false;
  for (std::size_t i = 0; i < instruction.operand_count; ++i) {
    TouchedBytes touched;
    if (!stopped.touched(instruction, instruction.operands[i], touched)) continue;
    visit(touched);
    seen = seen || (stopped.address() >= page_of(touched.start) && stopped.address() < touched.start + touched.bytes);
  }
  if (seen) return;
  const std::size_t bytes =
      instruction.operand_count == 0 ? 1 : std::max(1u, unsigned{instruction.operands[0].element_bytes});
  const bool writes = stopped.faulted_writing();
  visit(TouchedBytes{stopped.address(), bytes, !writes, writes});
}

}  // namespace

void report(ThreadState& thread, const StoppedThread& stopped, const Breach& breach, bool writes,
            const TaskInfo* task) {
  const FindingKey key{breach.kind, place_of(thread, stopped), task != nullptr ? task->site : nullptr, nullptr};
  if (const auto known = state->told.find(key); known != state->told.end()) {
    ++known->second.times;
    return;
  }
  Finding finding = make_finding(breach.kind, task, breach.address, breach.bytes);
  if (finding.region.kind == RegionKind::beyond_block) finding.kind = FindingKind::beyond;
  const bool released = breach.item != nullptr && breach.item->released;
  const RegionKind kind = finding.region.kind;
  if (released || kind == RegionKind::dead_block || kind == RegionKind::dead_copy) finding.kind = FindingKind::released;
  finding.writes = writes ? 1 : 0;
  if (breach.item != nullptr) {
    finding.mode = static_cast<std::uint32_t>(breach.item->mode);
    finding.item = breach.item->index;
    if (breach.item->ocr_mode != 0) finding.mode = breach.item->ocr_mode;
  }
  take_frames(finding.at, stopped.instruction(), thread.run);
  tell(finding, key);
}

namespace {

// The task that a thread may be at work for which runs none and has no use for the runtime: one of the task's own, or
// of a pool that the program or a library (BLAS, OpenMP) had before. Null: none.
const Run* run_beside(const ThreadState& thread) noexcept {
  return thread.run == nullptr && !thread.uses_runtime ? state->running : nullptr;
}

bool allows(const Run& run, std::uintptr_t address, bool writes) {
  return std::any_of(run.items.begin(), run.items.end(), [&](const Item& item) {
    return (writes ? item.writes : item.reads) && !item.released && overlaps(item.extent, address, address + 1);
  });
}

}  // namespace

void report_outside(ThreadState& thread, const StoppedThread& stopped, std::uintptr_t address, bool writes) {
  const Run* const run = run_beside(thread);
  if (run != nullptr && allows(*run, address, writes)) return;
  report(thread, stopped, {true, FindingKind::outside, address, 1, nullptr}, writes,
         run != nullptr ? run->task : nullptr);
}

namespace {

// `bytes` is what the access touches of the page.
Breach judge_on_page(ThreadState& thread, const StoppedThread& stopped, std::uintptr_t address, const Page& page,
                     const Bits& bytes, bool writes, bool lenient) WEIR_REQUIRES(state->gate) {
  Run& run = *thread.run;
  RunPage& rights = run.page(address, &state->pool);
  Bits judged = bytes;
  if (lenient && run.restricted && (bytes & (rights.readable - rights.fresh)).any()) judged = bytes & rights.readable;
  return judge(run, rights, page, address, judged, writes, origin_of(thread, run, stopped));
}

// Tells what is wrong with one access, page after page: what goes on on the next page is one breach.
class Telling {
 public:
  Telling(ThreadState& thread, const StoppedThread& stopped, bool writes) noexcept WEIR_REQUIRES(state->gate)
      : thread_(thread), stopped_(stopped), writes_(writes) {}
  ~Telling() WEIR_REQUIRES(state->gate) { tell(); }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

  void add(const Breach& breach) WEIR_REQUIRES(state->gate) {
    if (!breach.found) return;
    const bool goes_on = breach_.found && breach_.kind == breach.kind && breach_.item == breach.item &&
                         breach_.address + breach_.bytes == breach.address;
    if (goes_on) {
      breach_.bytes += breach.bytes;
      return;
    }
    tell();
    breach_ = breach;
  }

 private:
  void tell() WEIR_REQUIRES(state->gate) {
    if (breach_.found) report(thread_, stopped_, breach_, writes_, thread_.run->task);
  }

  ThreadState& thread_;
  const StoppedThread& stopped_;
  bool writes_;
  Breach breach_;
};

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
void judge_operand(ThreadState& thread, const StoppedThread& stopped, const TouchedBytes& touched, bool lenient)
    WEIR_REQUIRES(state->gate) {
  Telling reading(thread, stopped, false), writing(thread, stopped, true);
  for (std::uintptr_t page = page_of(touched.start); page < touched.start + touched.bytes; page += kPageBytes) {
    Page* const found = state->watch.find(page);
    if (found == nullptr || on_own_stack(*thread.run, stopped, std::max(page, touched.start))) continue;
    const Bits bytes = bytes_on(page, touched);
    if (touched.reads) reading.add(judge_on_page(thread, stopped, page, *found, bytes, false, lenient));
    if (touched.writes) writing.add(judge_on_page(thread, stopped, page, *found, bytes, true, false));
    if (state->watch.state_of(*found) != PageState::open) let_through(thread, page, *found);
  }
}

}  // namespace

bool open_for_good(ThreadState& thread, const StoppedThread& stopped, std::uintptr_t address, Page& page, bool writes) {
  Run& run = *thread.run;
  if (on_own_stack(run, stopped, stopped.address())) return false;
  RunPage& rights = run.page(address, &state->pool);
  const PageState wanted = may_open(run, rights, page);
  if (wanted == PageState::closed || (writes && wanted != PageState::open)) return false;
  const PageState given = writes ? PageState::open : PageState::readable;
  leave_open(run, rights, page, address, given, origin_of(thread, run, stopped));
  state->watch.open_page(address, page, given);
  return true;
}

namespace {

template <class Visit>
void for_pages(const TouchedBytes& touched, Visit&& visit) WEIR_REQUIRES(state->gate) {
  for (std::uintptr_t at = page_of(touched.start); at < touched.start + touched.bytes; at += kPageBytes)
    if (const Page* const page = state->watch.find(at)) visit(at, *page);
}

}  // namespace

void note_touched_beside(const ThreadState& thread, const StoppedThread& stopped, const TouchedBytes& touched) {
  Run* const run = state->running;
  if (run == nullptr) return;
  const bool for_task = !thread.uses_runtime && (run->restricted || thread.helps);
  const Frames* const at = origin_of(thread, *run, stopped);
  for_pages(touched, [&](std::uintptr_t address, const Page& page) {
    const Bits bytes = bytes_on(address, touched);
    if (touched.reads) note_beside(*run, page, address, bytes, false, for_task, at);
    if (touched.writes) note_beside(*run, page, address, bytes, true, for_task, at);
  });
}

void note_access_beside(const ThreadState& thread, const StoppedThread& stopped) {
  if (state->running == nullptr) return;
  for_each_touched(known(stopped.instruction()).code, stopped,
                   [&](const TouchedBytes& touched)
                       WEIR_REQUIRES(state->gate) { note_touched_beside(thread, stopped, touched); });
}

void judge_call(ThreadState& thread, const StoppedThread& stopped, std::uintptr_t start, std::size_t bytes,
                bool writes) {
  const TouchedBytes touched{start, bytes, !writes, writes, ~std::uint64_t{0}, 0};
  Telling telling(thread, stopped, writes);
  for (std::uintptr_t page = page_of(start); page < start + bytes; page += kPageBytes) {
    Page* const found = state->watch.find(page);
    if (found == nullptr || on_own_stack(*thread.run, stopped, std::max(page, start))) continue;
    telling.add(judge_on_page(thread, stopped, page, *found, bytes_on(page, touched), writes, false));
  }
}

void judge_call_beside(ThreadState& thread, const StoppedThread& stopped, std::uintptr_t start, std::size_t bytes,
                       bool writes) {
  for (std::uintptr_t at = page_of(start); at < start + bytes; at += kPageBytes) {
    const Page* const page = state->watch.find(at);
    if (page == nullptr || !page->strict) continue;
    report_outside(thread, stopped, std::max(at, start), writes);
    break;
  }
  note_touched_beside(thread, stopped, {start, bytes, !writes, writes});
}

void judge_access(ThreadState& thread, StoppedThread& stopped, Page& page) {
  ++state->accesses;
  const std::uintptr_t address = page_of(stopped.address());
  const bool writes = stopped.faulted_writing();
  if (thread.run->is_program && page.strict) report_outside(thread, stopped, stopped.address(), writes);
  if (open_for_good(thread, stopped, address, page, writes)) return;
  const KnownInstruction& known_instruction = known(stopped.instruction());
  const Instruction& instruction = known_instruction.code;
  for_each_touched(instruction, stopped, [&](const TouchedBytes& touched) WEIR_REQUIRES(state->gate) {
    judge_operand(thread, stopped, touched, reads_more_than_it_uses(known_instruction, touched));
  });
  if (!is_let_through(thread, address)) let_through(thread, address, page);
  if (instruction.repeated_move || instruction.repeated_store) {
    TouchedBytes moved[Instruction::kMostOperands];
    for (std::size_t i = 0; i < instruction.operand_count; ++i)
      static_cast<void>(stopped.touched(instruction, instruction.operands[i], moved[i]));
    for (const TouchedBytes& touched : moved)
      for_pages(touched, [](std::uintptr_t at, const Page& other) { Watch::let_through(at, other); });
    stopped.finish_repeated(instruction);
    for (const TouchedBytes& touched : moved)
      for_pages(touched, [](std::uintptr_t at, const Page& other)
                             WEIR_REQUIRES(state->gate) { state->watch.take_back(at, other); });
    return take_back_opened(thread);
  }
  step(thread, stopped);
}

}  // namespace weir::checker
