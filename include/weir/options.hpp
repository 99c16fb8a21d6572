// SPDX-License-Identifier: Apache-2.0

// Options of a runtime, from a table that the environment, the command line and the manual share (options.def).
#pragma once

#include <string>

namespace weir {

// Whom a worker without work steals from.
enum class Policy : unsigned char { near, numa, flat };

// What a worker's thread is pinned to.
enum class Bind : unsigned char { core, domain, none };

// Where a block is placed (docs/memory.md#allocation-modes).
enum class Allocation : unsigned char { default_, fast, local, local_fast };

// Which threads move blocks between tiers, and when.
enum class Strategy : unsigned char { off, inline_, single, multi, ahead, model };

// Which block leaves the fast tier when another needs its place.
enum class Evict : unsigned char { refcount, lru, next_use };

// Whether tiers between the fast one and the last hold copies of blocks that live behind them (docs/blocks.md#chains).
enum class Chains : unsigned char { off, on, auto_ };

// What becomes of a task whose blocks can never be in the fast tier at the same time.
enum class Overflow : unsigned char { in_place, refuse };

// How files are read and written.
enum class Io : unsigned char { auto_, uring, threads };

// Whether a process says what its tasks wait for, and when.
enum class Explain : unsigned char { on, no_signal, off };

// How processes that share no coherent cache see what others write (docs/islands.md).
enum class IslandMemory : unsigned char { coherent, flush, checked };

struct Options {
#define WEIR_OPTIONS(name, type, initial, allowed, unit, help) type name = initial;
#include "weir/options.def"
#undef WEIR_OPTIONS

  // The defaults, changed by the WEIR_* variables that are set. Throws weir::Error for a value that cannot be used, and
  // for a name that is nearly an option's, which it suggests; other names (WEIR_ROOT of a module) are not for Weir.
  // Reads the environment: not safe against a concurrent setenv().
  static Options from_environment();
};

}  // namespace weir
