// SPDX-License-Identifier: Apache-2.0

// What a layer above adds to the trace of a runtime whose process is a rank of a job: who it is, and rows of its own.
#pragma once

#include <cstdint>
#include <string>

#include "trace/event.hpp"
#include "weir/runtime.hpp"

namespace weir::trace {
class Track;
struct JobProcess;
}  // namespace weir::trace

namespace weir::runtime {

bool is_traced(const Runtime& runtime) noexcept;
// In place of what variables of the environment say (trace/job_process.hpp). The thread that has made the runtime.
// Throws weir::Error when the file cannot be written.
void note_process(Runtime& runtime, const trace::JobProcess& process);
// For one thread at a time, or whoever holds a lock; there as long as the runtime. Null: nothing is traced.
trace::Track* add_trace_row(Runtime& runtime, const std::string& name);

// The calling thread has had nothing to do since then, but to wait for other ranks.
void trace_idle(std::uint64_t since) noexcept;

// A number by which a trace means something that a thread does and no scheduler knows of; no task has it. Any thread.
std::uint64_t new_traced_number() noexcept;
// The task that the calling thread runs, as a trace means it; 0: none.
std::uint64_t traced_task() noexcept;
// Since when the running task, a held one (held_task.hpp), has had nothing else to wait for. In a traced run.
std::uint64_t traced_task_held_since() noexcept;
trace::EdgeBlock traced_block(const detail::BlockBase& block) noexcept;

}  // namespace weir::runtime
