// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/run.hpp"

#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <utility>

#include "ocr/blocks/block.hpp"
#include "ocr/blocks/edt_blocks.hpp"
#include "ocr/blocks/holds.hpp"
#include "ocr/edts/edt_end.hpp"
#include "ocr/edts/edt_times.hpp"
#include "ocr/edts/finish_scope.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/observe/checking.hpp"
#include "ocr/observe/complain.hpp"
#include "ocr/observe/tracing.hpp"
#include "ocr/program/pause.hpp"
#include "platform/barrier.hpp"
#include "runtime/spawn_scope.hpp"
#include "weir/runtime.hpp"

namespace weir::ocr {

namespace {

constexpr u8 kFailed = 1;  // exit code

void fill_depv(const Run& run, ocrEdtDep_t* depv) noexcept {
  for (const Slot& slot : run.edt.slots()) {
    const std::uint32_t i = slot.index;
    // Relaxed: what made the EDT run comes after its slots were written (SLOT-1).
    if (slot.state.load(std::memory_order_relaxed) == SlotState::held) {
      const Block& block = slot.block();
      depv[i].guid = to_c(block.guid());
      depv[i].mode = static_cast<ocrDbAccessMode_t>(slot.mode);
      set_address(depv[i], address_in(run, block));
    } else {
      depv[i].guid = to_c({});
      depv[i].mode = DB_MODE_NULL;
      set_address(depv[i], nullptr);
      // -1, which is no value of the enumeration: a slot that was satisfied by no block.
      if (slot.mode != DB_MODE_NULL) std::memset(&depv[i].mode, 0xff, sizeof depv[i].mode);
    }
  }
}

void release_slots(Local& local, Edt& edt) {
  runtime::TaskData* const blocks = edt.has(Edt::kTiered) ? blocks_of(edt) : nullptr;
  if (blocks != nullptr) [[unlikely]]
    blocks->finish();
  for (Slot& slot : edt.slots()) {
    // Relaxed: the EDT ends on this thread, which alone changes its slots now.
    if (slot.state.load(std::memory_order_relaxed) != SlotState::held) continue;
    slot.state.store(SlotState::released, std::memory_order_relaxed);
    if ((slot.flags & Slot::kShared) != 0) continue;
    Block& block = slot.block();
    if (block.is_tiered()) [[unlikely]]
      end_use(edt, block);
    release(local, block, slot.mode);
  }
}

// The blocks that it holds and has not released.
[[gnu::always_inline]] inline void release_all(Local& local, Run& run) {
  if (!run.edt.is_bare()) release_slots(local, run.edt);
  if (run.extra != nullptr) [[unlikely]]
    release_waited(local, run);
  while (run.created != nullptr) release_created(local, run, *run.created);
}

// It is a finish EDT only for the rank that has made it.
void forward_inner_output(Local& local, Edt& edt) {
  if (!edt.output().is_null()) forward_output(local, edt);
  edt.body().output = {};
}

// The function has returned, and the tasks of the C++ API that it spawned have ended: it holds nothing any more. A
// finish EDT that has made others ends later: with the scope that is returned. Inlined always, as call_function(): they
// are what an EDT costs that does little.
[[gnu::always_inline]] inline sched::Scope* end_edt(Local& local, Run& run, Guid returned) {
  Edt& edt = run.edt;
  release_all(local, run);
  if (run.kept != nullptr) [[unlikely]]
    forget_outputs(local, run);
  edt.is_bare() ? edt.leave() : leave_edt(local, edt);
  if (run.credit != 0) leave_scope(local, *edt.task().scope, run.credit);
  sched::Scope* const finish = finish_scope_left(edt);
  if (!edt.is_bare()) {
    edt.body().returned = returned;
    if (finish == nullptr)
      finish_edt(local, edt);
    else if (edt.has(Edt::kInnerFinish)) [[unlikely]]
      forward_inner_output(local, edt);
  }
  Activity::add(local.activity.ended);
  return finish;
}

// The end of the program, for a reason that no code can report to those that wait for what the EDT was to bring about:
// that does not come about.
[[gnu::cold]] void end_program(Program& program, Edt& edt, const char* what_happened, const char* why,
                               u8 code) noexcept {
  std::fflush(stdout);
  std::fprintf(stderr, "weir: ocr: %s (%#llx) %s, and the program ends: %s\n", name_of(edt.kind()).c_str(),
               static_cast<unsigned long long>(edt.guid().bits), what_happened, why);
  if (!edt.is_bare()) edt.body().output = {};
  program.shut_down(code);
}

[[gnu::cold]] void end_by_exception(Program& program, Edt& edt, const std::exception_ptr& exception) noexcept {
  constexpr const char* kWhat = "was left by an exception";
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    end_program(program, edt, kWhat, error.what(), kFailed);
  } catch (...) {
    end_program(program, edt, kWhat, "it is no std::exception", kFailed);
  }
}

[[gnu::always_inline]] inline Guid call_function(const Run& run) {
  const ocrEdt_t function = run.edt.kind()->function;
  if (run.edt.is_bare()) return from_c(function(0, nullptr, 0, nullptr));
  EdtBody& body = run.edt.body();
  ocrEdtDep_t* const depv = body.depv();
  fill_depv(run, depv);
  u64* const paramv = body.paramc == 0 ? nullptr : EdtLayout::paramv(depv, body.depc);
  return from_c(function(body.paramc, paramv, body.depc, depv));
}

// Tasks of the C++ API that the EDT has spawned are part of it: they may use its blocks. Where the checker looks it
// waits for them, as the order of what it sees has to be its own. Throws what they have thrown.
void end_tasks(Local& local) {
  sched::Frame& frame = local.worker->frame();
  if (frame.children == nullptr) return;
  struct Close {
    sched::Frame& frame;
    ~Close() { delete std::exchange(frame.children, nullptr); }
  } const close{frame};
  local.program.runtime().wait();
}

Guid call_checked(Local& local, const Run& run) {
  const checking::Running running(run.edt);
  Guid returned;
  for (const bool function : {true, false}) {
    try {
      function ? static_cast<void>(returned = call_function(run)) : end_tasks(local);
    } catch (...) {
      end_by_exception(local.program, run.edt, std::current_exception());
    }
  }
  checking::used(local, returned);
  return returned;
}

Guid call(Local& local, const Run& run) {
  if (checking::active()) [[unlikely]]
    return call_checked(local, run);
  try {
    return call_function(run);
  } catch (...) {
    end_by_exception(local.program, run.edt, std::current_exception());
  }
  return {};
}

// An EDT whose function has returned, and whose tasks of the C++ API have not all ended.
class LateEdt final : public runtime::LateEnd {
 public:
  // Takes what is in `run`.
  LateEdt(Program& program, Run& run, Guid returned) : program_(program), run_(std::move(run)), returned_(returned) {
    program_.count_late(1);
  }
  ~LateEdt() override { program_.count_late(-1); }
  sched::Scope* children_ended(std::exception_ptr& failure) noexcept override {
    if (failure) end_by_exception(program_, run_.edt, std::exchange(failure, nullptr));
    return end_edt(*local(), run_, returned_);
  }

 private:
  Program& program_;
  Run run_;
  const Guid returned_;
};

// Whether the tasks of the C++ API that the EDT has spawned have ended; else it ends when they have.
[[gnu::noinline]] bool tasks_have_ended(Local& local, Run& run, Guid returned, runtime::SpawnScope* tasks) {
  if (tasks->unfinished() != 0) {
    std::unique_ptr<LateEdt> late(new (std::nothrow) LateEdt(local.program, run, returned));
    if (late != nullptr) {
      tasks->end_by(std::move(late));
      return false;
    }
    local.worker->wait_for_children(*tasks);
  }
  if (std::exception_ptr failure = tasks->take_failure()) end_by_exception(local.program, run.edt, failure);
  delete tasks;
  return true;
}

// The function has returned; its frame has what the EDT waits for until it has ended, if anything.
[[gnu::always_inline]] inline void end_function(Local& local, Run& run, Guid returned) {
  sched::Frame& frame = local.worker->frame();
  runtime::SpawnScope* const tasks = runtime::SpawnScope::of(frame.children);
  if (tasks == nullptr || tasks_have_ended(local, run, returned, tasks)) [[likely]]
    frame.children = end_edt(local, run, returned);
}

// PAUSE-1: the thread that starts an EDT sets `running`, then looks at the flag; one that pauses sets the flag, then
// looks at all `running`, with the heavy side of the barrier in between.
// True: an EDT runs beneath this one.
bool begin_running(Local& local) noexcept {
  const bool inside = local.activity.running.load(std::memory_order_relaxed);
  if (!inside) local.activity.running.store(true, std::memory_order_release);
  platform::light_barrier();  // PAUSE-1
  return inside;
}
void end_running(Local& local, bool inside) noexcept {
  if (!inside) local.activity.running.store(false, std::memory_order_release);  // PAUSE-1
}

// It ends without having begun, and so brings nothing about.
bool leave_unbegun(Edt& edt) noexcept {
  if (!edt.is_bare()) edt.body().output = {};
  return false;
}

// In the data layer's sense. An EDT that cannot have them is the end of the program: no code can report it. After the
// end a block may have no contents, see Hold::scratch, and no EDT that would read any is begun.
bool has_blocks(Program& program, Edt& edt) noexcept {
  if (program.shutting_down()) return leave_unbegun(edt);
  const base::Status failure = blocks_failure(edt);
  if (failure) return true;
  end_program(program, edt, "cannot be given its data blocks", failure.message.c_str(),
              failure.code == base::Code::no_space ? OCR_ENOMEM : OCR_EIO);
  return false;
}

// See Halt::end_unbegun().
[[gnu::cold]] [[gnu::noinline]] void end_unbegun(Local& local, Edt& edt, bool inside) {
  Run run(edt);
  begin_finish(edt);
  static_cast<void>(leave_unbegun(edt));
  end_function(local, run, {});
  end_running(local, inside);
}

}  // namespace

void run_edt(void*, sched::Task* task, weir::detail::Invoke) {
  Edt& edt = Edt::of(*task);
  Local& local = *ocr::local();
  const bool inside = begin_running(local);
  if (is_pausing() && !wait_while_paused(local)) [[unlikely]]
    return end_unbegun(local, edt, inside);
  const std::uint64_t outer_traced = local.worker->track() == nullptr ? 0 : trace_begin(local, edt);
  Run run(edt);
  Guid returned;
  begin_finish(edt);
  if (!edt.has(Edt::kTiered) || has_blocks(local.program, edt)) [[likely]] {
    edt.begin();
    Run* const outer = std::exchange(local.current, &run);
    const std::uint64_t began = EdtTimes::begin();
    returned = call(local, run);
    EdtTimes::end(began, *edt.kind());
    if (is_pausing() && !inside) [[unlikely]]
      local.on_returned(edt);
    local.current = outer;
  }
  end_function(local, run, returned);
  end_running(local, inside);
  // Else it stays: what follows from the end of a scope is the doing of the EDT that ended it.
  if (inside) local.traced = outer_traced;
}

}  // namespace weir::ocr
