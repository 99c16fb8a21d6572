// SPDX-License-Identifier: Apache-2.0

// What PEs of the tests do, by name: every PE runs the body, and ends with status 1 and a line when something is wrong.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "shmem/heap/heap.hpp"

namespace weir::shmem::multi {

using Body = void (*)();

// A body that has a name; made before main().
struct Named {
  Named(const char* name, Body body);
};
const std::map<std::string, Body>& bodies();

// Ends this PE and the job with a line that names the PE, unless it is true.
void expect(bool is_true, const char* what);

int me();
int pes();
int next();      // PE
int previous();  // PE
// Of the heap, cleared; collective.
template <class T>
T* make(std::size_t n) {
  auto* const data = static_cast<T*>(allocate_cleared(n, sizeof(T)));
  expect(data != nullptr, "there is room in the heap");
  return data;
}
// All PEs meet; puts of all are done.
void meet();

}  // namespace weir::shmem::multi
