// SPDX-License-Identifier: Apache-2.0

// InLibrary: while one lives, what this thread takes from shmem_malloc() is memory of this process only.
//
// For parts of the library that use operator new, which a program may have defined by shmem_malloc(): that is a
// collective call, and would call itself, or wait for PEs that make no such call. In what allocates or fails, not in
// what every put goes through.
#pragma once

#include <cstddef>

namespace weir::shmem {

class InLibrary {
 public:
  InLibrary() noexcept { ++depth; }
  ~InLibrary() { --depth; }
  InLibrary(const InLibrary&) = delete;
  InLibrary& operator=(const InLibrary&) = delete;

  static bool is() noexcept { return depth > 0; }

 private:
  static inline thread_local constinit int depth = 0;
};

}  // namespace weir::shmem
