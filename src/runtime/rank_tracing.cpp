// SPDX-License-Identifier: Apache-2.0

#include "runtime/rank_tracing.hpp"

#include <atomic>

#include "data/block.hpp"
#include "runtime/runtime_state.hpp"
#include "sched/worker.hpp"
#include "trace/job_process.hpp"
#include "trace/recorder.hpp"
#include "weir/detail/block.hpp"

namespace weir::runtime {

bool is_traced(const Runtime& runtime) noexcept { return detail::RuntimeAccess::state(runtime)->recorder != nullptr; }

void note_process(Runtime& runtime, const trace::JobProcess& process) {
  trace::Recorder* const recorder = detail::RuntimeAccess::state(runtime)->recorder.get();
  if (recorder == nullptr) return;
  trace::Settings settings = process.settings();
  settings.emplace_back("joined", "1");
  if (const base::Status status = recorder->note(settings); !status) throw Error(status.message);
}

trace::Track* add_trace_row(Runtime& runtime, const std::string& name) {
  trace::Recorder* const recorder = detail::RuntimeAccess::state(runtime)->recorder.get();
  return recorder == nullptr ? nullptr : recorder->add_track({name, -1, -1});
}

void trace_idle(std::uint64_t since) noexcept {
  const sched::Worker* const worker = sched::Worker::current();
  if (worker != nullptr && worker->track() != nullptr) worker->track()->search(since);
}

// As if of a task at an address below 4 MiB, where no program has its heap (sched::trace_id()).
std::uint64_t new_traced_number() noexcept {
  constexpr std::uint64_t kAddresses = (std::uint64_t{1} << 22) / alignof(sched::Task) - 1;
  static constinit std::atomic<std::uint64_t> last{0};
  const std::uint64_t number = last.fetch_add(1);
  return (1 + number % kAddresses) ^ number / kAddresses << 41;
}

std::uint64_t traced_task() noexcept {
  sched::Worker* const worker = sched::Worker::current();
  return worker == nullptr ? 0 : sched::trace_id_of(worker->frame().task);
}

std::uint64_t traced_task_held_since() noexcept {
  const sched::TaskExtra* const extra = sched::Worker::current()->frame().task->note.extra();
  return extra == nullptr ? 0 : extra->held_since;
}

trace::EdgeBlock traced_block(const detail::BlockBase& block) noexcept {
  return trace::EdgeBlock::of(trace::BlockKind::numbered, data::block_of(block).trace_id);
}

}  // namespace weir::runtime
