// SPDX-License-Identifier: Apache-2.0

// Functions by names that hold in every process which has loaded the same object file, wherever that lies there.
//
// An object is a program or a library; its name is its build id, or, where it was linked without one, a hash of its
// code. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/island.hpp"

namespace weir::island {

struct FunctionName {
  std::uint64_t object;  // 0: no function
  std::uint64_t offset;  // from where the object was loaded
};

class CodeNames {
 public:
  // Costs two comparisons where the function before was of the same object. Throws weir::Error for what is no code of
  // an object that the dynamic linker knows.
  FunctionName name_of(detail::Invoke function) {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    if (address - last_.start >= last_.bytes) [[unlikely]]
      last_ = object_at(address);
    return {last_.id, address - last_.base};
  }
  // Null: this process has no such object, or a function is not where the name says.
  detail::Invoke find(const FunctionName& name) {
    if (name.object != last_.id) [[unlikely]]
      last_ = object_named(name.object);
    const std::uintptr_t address = last_.base + name.offset;
    if (address - last_.start >= last_.bytes) return nullptr;
    return reinterpret_cast<detail::Invoke>(address);
  }

 private:
  struct Object {
    std::uint64_t id = 0;
    std::uintptr_t base = 0, start = 0, bytes = 0;  // code is in [start, start + bytes)
  };
  Object object_at(std::uintptr_t address);
  Object object_named(std::uint64_t id);
  void look();

  Object last_;
  std::vector<Object> objects_;
};

// For messages: as file(1) shows the start of a build id.
std::string object_text(std::uint64_t object);

}  // namespace weir::island
