// SPDX-License-Identifier: Apache-2.0

// This process as one rank of several: from then on its tables give indices of its parts (division.hpp). The first
// thread, before any object is made.
#pragma once

#include <cstdint>
#include <vector>

#include "ocr/objects/division.hpp"

namespace weir::ocr {

// Of a program that begins; once.
void become_rank(std::uint32_t rank, std::uint32_t of_ranks);
// Of one that goes on, on one rank, too.
void take_parts(const Share& share);
// As it is now, while no object is made.
Share parts_now();

}  // namespace weir::ocr
