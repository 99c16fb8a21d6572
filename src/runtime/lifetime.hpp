// SPDX-License-Identifier: Apache-2.0

// Whoever destroys a block or a watched array waits for the tasks that have named it in a footprint (named_by.hpp).
//
// Inside a task one waits for its children alone: what other tasks may still use is kept for them (kept.hpp). Any
// thread.
#pragma once

#include <exception>
#include <optional>
#include <span>
#include <vector>

#include "data/store.hpp"
#include "runtime/kept.hpp"
#include "runtime/named_by.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/spawn_scope.hpp"

namespace weir::runtime {

// Whose tasks have named some memory and may not have ended.
struct Namers {
  Visit runtime;              // of none: several runtimes
  const sched::Scope* scope;  // null: several
};

// Waits until all tasks have ended that have named it: of the calling thread's own scope those alone when `access` is
// how they name it, else all that the calling task, or the thread outside of tasks, has spawned; and all of the runtime
// when others have named it and this is outside of tasks. An exception of a task stays in its scope. Returns who may be
// left: nobody, but inside a task.
[[nodiscard]] std::optional<Namers> wait_for_namers(NamedBy named, const Access* access) noexcept;
// The same of a watched array, which tasks of several runtimes may have named: those it waits for, one by one.
[[nodiscard]] std::optional<Namers> wait_for_namers(const Partition& watched) noexcept;

// Remembers which task makes the block, if any.
void note_maker(State& state, data::Block& block) noexcept;
// Inside of a task that has waited for its children: nobody else has named the block. `state`: that of the block.
bool is_named_below(State& state, const data::Block& block) noexcept;
// Until those who may use it have ended.
void keep(const Namers& namers, Kept::Object object) noexcept;
// The tasks around the calling one, and itself, that were there when the block was made.
std::vector<detail::TaskRef> older_than(State& state, const data::Block& block);

// Waits for all tasks of the runtime that are there now, but for those that wait for more to be spawned. Outside of
// tasks only.
void wait_for_all(State& state, sched::Worker& worker);

// What a thread that has ended has left behind of the worker that the calling thread is from now on: waits for the
// tasks, and says what they have failed with.
void end_what_is_left(sched::Worker& guest) noexcept;
// An exception that nobody can take any more is not lost without a word.
void report_untaken(const std::exception_ptr& failure) noexcept;

// The blocks among the items belong to the worker's runtime; the scope names them now. Their store; null when there is
// none, in a checked program or without blocks. Throws weir::Error for one that was moved from, of another runtime, or
// of one that has ended.
data::Store* name_blocks(SpawnScope& scope, std::span<const Access> footprint);

}  // namespace weir::runtime
