// SPDX-License-Identifier: Apache-2.0

// The layout of the guest that the tests run in.
#pragma once

#include <vector>

namespace weir::guest {

struct Layout {
  const char* name;
  std::vector<int> domains;        // the kernel's node of each domain, in order
  std::vector<int> hbm_of_domain;  // the kernel's node of its HBM; empty: there is none
  bool device = false;             // there is a /dev/dax0.0
};

extern const Layout* layout;  // set by main() before the tests

}  // namespace weir::guest
