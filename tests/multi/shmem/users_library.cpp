// SPDX-License-Identifier: Apache-2.0

#include "multi/shmem/users_library.hpp"

namespace users_library {

long counter;
long table[10000];
int set[3] = {1, 2, 3};
extern const int fixed = 7;

long* hidden() {
  static long value = 5;
  return &value;
}

}  // namespace users_library
