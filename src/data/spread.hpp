// SPDX-License-Identifier: Apache-2.0

// Which block of one footprint goes to which node of a tier, when no node holds all of them.
//
// A pure function; finding out whether there is any way at all is bin packing, so two good ones are tried. Small blocks
// count by the slabs that those of a node take together (Arena::Sum).
#pragma once

#include <cstddef>
#include <span>

namespace weir::data {

// `sizes`: charges of blocks; `room`: bytes of each node. Sets `node` of each block, by index into `room`: the largest
// block first, each where most room is left, so that all nodes are used alike; or, where they do not fit so, where
// least is left that suffices. False: neither does; `node` means nothing then.
bool spread(std::span<const std::size_t> sizes, std::span<const std::size_t> room, std::span<int> node);

}  // namespace weir::data
