// SPDX-License-Identifier: Apache-2.0

// The C library's functions on memory and strings: which bytes a call of each touches, by its arguments.
//
// What the standard says that they touch: a function on n bytes has to be given n bytes, one on a string reads up to
// and with its end, one that compares or looks for something up to and with what decides. What the instructions of
// today's variant read beside that is not meant.
#pragma once

#include <cstddef>
#include <cstdint>

#include "checker/memory/extent.hpp"
#include "platform/stopped_thread.hpp"

namespace weir::checker {

// Of the program's memory, which may be closed: `open` is called with each page before it is read.
class ProgramMemory {
 public:
  using Open = void (*)(std::uintptr_t page);
  explicit ProgramMemory(Open open_page) noexcept : open_(open_page) {}

  template <class Unit>
  Unit at(std::uintptr_t address) noexcept {
    open_once(page_of(address));
    if constexpr (sizeof(Unit) > 1) open_once(page_of(address + sizeof(Unit) - 1));
    return *reinterpret_cast<const Unit*>(address);
  }
  void open(std::uintptr_t start, std::size_t bytes) noexcept {
    for (std::uintptr_t page = page_of(start); page < start + bytes; page += kPageBytes) open_(page);
  }

 private:
  void open_once(std::uintptr_t page) noexcept {
    if (page == last_[0] || page == last_[1]) return;
    last_[next_] = page;
    next_ ^= 1;
    open_(page);
  }
  Open open_;
  std::uintptr_t last_[2] = {1, 1};  // no pages
  unsigned next_ = 0;
};

struct LibraryTouches {
  static constexpr std::size_t kMost = 3;
  std::size_t count = 0;
  platform::TouchedBytes list[kMost] = {};
};

inline constexpr std::size_t kLibraryArguments = 4;
// The function itself, as all of them can be called.
using LibraryCode = std::uintptr_t (*)(std::uintptr_t, std::uintptr_t, std::uintptr_t, std::uintptr_t);

struct LibraryFunction {
  const char* name;
  void (*touches)(const std::uintptr_t (&arguments)[kLibraryArguments], LibraryCode code, ProgramMemory& memory,
                  LibraryTouches& to);
};

inline constexpr std::size_t kLibraryFunctions = 80;
extern const LibraryFunction kLibraryFunctionTable[kLibraryFunctions];

}  // namespace weir::checker
