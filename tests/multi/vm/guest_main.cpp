// SPDX-License-Identifier: Apache-2.0

// guest_test MACHINE: the tests that need a kernel with several memory nodes, run inside a guest by run_guest.sh.
#include "guest_main.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>

namespace weir::guest {

const Layout* layout = nullptr;

namespace {
// What run_guest.sh builds.
const Layout kLayouts[] = {
    {.name = "numa2", .domains = {0, 1}, .hbm_of_domain = {}},
    {.name = "knl-quad-flat", .domains = {0}, .hbm_of_domain = {1}},
    {.name = "knl-snc4-flat", .domains = {0, 1, 2, 3}, .hbm_of_domain = {4, 5, 6, 7}},
    {.name = "dax", .domains = {0}, .hbm_of_domain = {}, .device = true},
};
}  // namespace

}  // namespace weir::guest

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const auto& known : weir::guest::kLayouts) {
    if (argc == 2 && std::strcmp(argv[1], known.name) == 0) weir::guest::layout = &known;
  }
  if (weir::guest::layout == nullptr) {
    std::fprintf(stderr, "usage: guest_test numa2|knl-quad-flat|knl-snc4-flat|dax\n");
    return 2;
  }
  // Those of a device, or all others.
  if (testing::GTEST_FLAG(filter) == "*")
    testing::GTEST_FLAG(filter) = weir::guest::layout->device ? "*Dax*:*Device*" : "-*Dax*:*Device*";
  return RUN_ALL_TESTS();
}
