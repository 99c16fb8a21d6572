// SPDX-License-Identifier: Apache-2.0

// One kind of memkind.h: where its memory is from, and what happens when that is full. Never changes.
#pragma once

#include "alloc/tier_heap.hpp"

// What a memkind_t points to.
struct memkind {  // NOLINT(readability-identifier-naming): memkind's
  enum class Source : unsigned char { ordinary, hbm, ddr, far, capacity, bandwidth, latency, everything, huge, none };

  const char* name;
  Source source;
  weir::alloc::Reach reach;
  bool prefers;  // ordinary memory where it finds no room
};
