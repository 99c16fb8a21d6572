// SPDX-License-Identifier: Apache-2.0

// Which memory of the program is adopted, and which is watched: a byte that is both, or in two adopted blocks, would be
// in two places at once, and tasks that name it one way would not wait for those that name it the other way.
//
// Of the whole process, since runtimes share its memory. Watched arrays may overlap each other. Any thread.
#pragma once

#include "data/block.hpp"
#include "runtime/named_by.hpp"
#include "weir/footprint.hpp"

namespace weir::runtime {

// An adopted block, from its making until it is destroyed or its runtime ends. Throws weir::Error when its memory is
// taken.
void claim_adopted(const data::Block& block);
void give_up_adopted(const data::Block& block) noexcept;

// A watched array. Throws weir::Error when some of its memory is adopted.
const Partition* make_watched(const Partition& form);
void destroy_watched(const Partition* partition) noexcept;
// Of one that make_watched() has made.
NamingRuntimes& naming_runtimes(const Partition& partition) noexcept;
// The runtime of that number has ended with all its tasks: another may be given the number.
void forget_namers(std::uint16_t number) noexcept;

}  // namespace weir::runtime
