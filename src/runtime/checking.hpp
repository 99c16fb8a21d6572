// SPDX-License-Identifier: Apache-2.0

// What the runtime does while `weir check` watches the program: tasks are announced to the checker, and run in its
// hands.
//
// docs/checking.md is about what is seen; src/check sees it.
#pragma once

#include <cstdint>
#include <span>

#include "check/hooks.hpp"
#include "runtime/spawn_scope.hpp"
#include "weir/detail/block.hpp"
#include "weir/parallel.hpp"

namespace weir::runtime {

// As scope.submit(), for a task of a checked program.
[[gnu::noinline]] void submit_checked(SpawnScope& scope, sched::Task& task, std::span<const Access> footprint,
                                      std::span<const detail::TaskRef> after);

// As fork_push() and fork_join_half(): the second part runs in the latter, as if it had been stolen.
[[gnu::noinline]] bool fork_checked(detail::ForkHalf& half, const sched::Scope* scope);
[[gnu::noinline]] bool join_checked(detail::ForkHalf& half, const sched::Scope* scope) noexcept;

// Blocks that never move, each on pages of its own. Throws weir::Error.
detail::BlockBase* make_checked_block(const detail::BlockLayout& layout, void* program, const char* name);
void drop_checked_block(detail::BlockBase* block) noexcept;

}  // namespace weir::runtime
