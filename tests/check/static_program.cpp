// SPDX-License-Identifier: Apache-2.0

// What a program that is linked with the C library statically says when it is to be checked.
#include <cstdio>

#include "check/hooks.hpp"

int main() {
  weir::Options options;
  const weir::base::Status status = weir::check::start(options);
  std::printf("%s\n", status.message.c_str());
  return status ? 0 : 1;
}
