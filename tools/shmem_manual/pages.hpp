// SPDX-License-Identifier: Apache-2.0

// What the manual pages of OpenSHMEM's routines say in words: a page for each group of them. Pure.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace weir::manual {

struct Page {
  std::string_view name;                   // "shmem_put", as in shmem_put(3)
  std::string_view purpose;                // after the dash
  std::vector<std::string_view> routines;  // keys of routines.hpp
  std::string_view text;                   // paragraphs with an empty line between them
  std::string_view returns;                // empty: nothing is returned
  std::vector<std::string_view> see_also{};
};

std::span<const Page> all_pages();

}  // namespace weir::manual
