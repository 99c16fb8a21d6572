// SPDX-License-Identifier: Apache-2.0

// The routines of OpenSHMEM as manual pages show them, from the lists that the header is made of. Pure.
#pragma once

#include <string>
#include <vector>

namespace weir::manual {

struct Routine {
  enum class Kind { typed, wide, plain };
  Kind kind = Kind::plain;
  std::string result{};
  std::string name{};        // "_put" of typed ones; "putSIZE", or "putmem"; "shmem_fence"
  std::string key{};         // what pages call it by: "_put" of the first two kinds
  std::string parameters{};  // "(TYPE *dest, const TYPE *source, size_t nelems, int pe)"
  std::string types{};       // "int, long, ..."; the widths of wide ones
  bool has_context = false;
  bool has_generic = false;
  bool is_old = false;
};

std::vector<Routine> all_routines();

}  // namespace weir::manual
