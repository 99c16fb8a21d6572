// Options of a runtime, from a table that the environment, the command line and the manual share (options.def).
#pragma once

#include <string>

namespace weir {

// Whom a worker without work steals from.
enum class Policy : unsigned char { near, numa, flat };

// What a worker's thread is pinned to.
enum class Bind : unsigned char { core, domain, none };

struct Options {
#define WEIR_OPTIONS(name, type, initial, allowed, unit, help) type name = initial;
#include "weir/options.def"
#undef WEIR_OPTIONS

  // The defaults, changed by the WEIR_* variables that are set. Throws weir::Error when a variable has a value that
  // cannot be used, or when a WEIR_* variable is set that Weir does not know; the message suggests the nearest name.
  // Reads the environment: not safe against a concurrent setenv().
  static Options from_environment();
};

}  // namespace weir
