// SPDX-License-Identifier: Apache-2.0

// What the data layer knows of memory, under its own names: tiers, the arenas and files behind them, and their sizes.
#pragma once

#include "memory/arena.hpp"
#include "memory/file_store.hpp"
#include "memory/tier_set.hpp"

namespace weir::data {

using memory::Arena;
using memory::ArenaReport;
using memory::FileStore;
using memory::MemoryState;
using memory::parse_tiers;
using memory::size_text;
using memory::Tier;
using memory::TierKind;
using memory::TierSet;
using memory::TierSetConfig;
using memory::TierSpec;

}  // namespace weir::data
