// SPDX-License-Identifier: Apache-2.0

// Who has named a block or a watched array in a footprint, so that whoever destroys it can wait for those tasks.
//
// One word for each, NamedBy, that a scope writes when it first names the memory: naming it again is a load and a
// comparison. One scope is told apart from several; that suffices, since memory is mostly named by one, and waiting for
// more than needed is right, too. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/store.hpp"
#include "runtime/runtime_state.hpp"
#include "runtime/spawn_scope.hpp"

namespace weir::runtime {

// 0: nobody. Else the runtime's number, as in a generation, and below it the scope, or kSeveral.
class NamedBy {
 public:
  explicit NamedBy(std::uint64_t& word) noexcept : word_(&word) {}
  // `scope` names the memory.
  void note(const SpawnScope& scope) noexcept {
    if (__atomic_load_n(word_, __ATOMIC_RELAXED) != scope.mark()) [[unlikely]]
      note_slow(scope.mark());
  }
  // Waits until all tasks have ended that have named it: of the calling thread's own scope those alone when `access` is
  // how they name it, else all that the calling task, or the thread outside of tasks, has spawned; and all of the
  // runtime when others have named it and this is outside of tasks. An exception of a task stays in its scope.
  void wait(const Access* access) noexcept;

 private:
  void note_slow(std::uint64_t mark) noexcept;
  std::uint64_t* word_;
};

// Waits for all tasks of the runtime that are there now, but for those that wait for more to be spawned. Outside of
// tasks only.
void wait_for_all(State& state, sched::Worker& worker);

// The blocks among the items belong to the worker's runtime; the scope names them now. Their store; null when there is
// none, in a checked program or without blocks. Throws weir::Error for one that was moved from, of another runtime, or
// of one that has ended.
data::Store* name_blocks(SpawnScope& scope, std::span<const Access> footprint);

}  // namespace weir::runtime
