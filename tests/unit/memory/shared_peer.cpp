// SPDX-License-Identifier: Apache-2.0

// The other program of shared_backing_test.cpp: attaches to shared memory that a test made, and adds one to each
// number.
//
// shared_peer posix|file NAME    shared_peer descriptor NUMBER
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "memory/shared_backing.hpp"

int main(int count, char** arguments) {
  using weir::memory::SharedBacking;
  if (count != 3) return 2;
  const std::string how = arguments[1], what = arguments[2];
  SharedBacking::Config config;
  config.source = how == "posix" ? SharedBacking::Source::posix : SharedBacking::Source::file;
  config.name = what;
  config.create = false;
  auto backing =
      how == "descriptor" ? SharedBacking::attach(std::atoi(what.c_str()), "of the test") : SharedBacking::open(config);
  if (!backing) {
    std::fprintf(stderr, "shared_peer: %s\n", backing.status().message.c_str());
    return 1;
  }
  auto* const numbers = reinterpret_cast<std::uint64_t*>((*backing)->data());
  for (std::size_t i = 0; i < (*backing)->size().count / sizeof(*numbers); ++i) ++numbers[i];
}
