// SPDX-License-Identifier: Apache-2.0

// What the runtime does for its trace: opening and closing it, and spawning when one is recorded.
//
// docs/tracing.md is about what is recorded; src/trace records it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/runtime_state.hpp"
#include "runtime/spawn_scope.hpp"
#include "trace/details.hpp"
#include "trace/recorder.hpp"
#include "weir/runtime.hpp"

namespace weir::runtime {

// Of one of several processes of a job a file of its own: "t.2.weir" for "t.weir". Throws weir::Error when it cannot be
// written.
std::unique_ptr<trace::Recorder> open_trace(const std::string& path);
// All threads have ended. What the events must add up to, and what is known of the tiers.
trace::Summary summarise(const Runtime& runtime, const State& state);
// Workers and blocks are gone. Says on standard error when the file could not be written.
void close_trace(trace::Recorder& recorder, const trace::Summary& summary) noexcept;

// One item of a footprint that is no block, and the watched array that it lies in where that is new to the track.
void record_region(trace::Track& track, trace::Details& details, const Access& item) noexcept;
// As scope.submit(), when the worker has a track: who spawned it, the time of it, what it uses, what it comes after.
[[gnu::noinline]] void submit_traced(SpawnScope& scope, sched::Task& task, std::span<const Access> footprint,
                                     std::span<const detail::TaskRef> after);

}  // namespace weir::runtime
