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

}  // namespace weir::runtime
