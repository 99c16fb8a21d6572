// SPDX-License-Identifier: Apache-2.0

// TierSource: how a layer above provides the memory that the tiers of a runtime are made of.
#pragma once

#include <functional>
#include <memory>

#include "memory/tier_set.hpp"
#include "weir/runtime.hpp"

namespace weir::detail {

struct TierSource {
  std::function<memory::TierSetConfig()> open;  // called when the tiers are opened, once
};

}  // namespace weir::detail

namespace weir::runtime {

// A runtime whose tiers are opened so. Throws weir::Error as Runtime's constructor does.
std::unique_ptr<Runtime> make_runtime(const Options& options, const detail::TierSource& tiers);

// Whether blocks of the runtime may have to wait for room: more were made than the fast tier holds. A task that keeps a
// block while it waits for another process may do so only while this is false.
bool blocks_wait_for_room(const Runtime& runtime) noexcept;

}  // namespace weir::runtime
