// SPDX-License-Identifier: Apache-2.0

// Symbols: where in the source code of a running process an address is, by elfutils' libdw. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/tell/wire.hpp"

namespace weir::tool::check {

struct Place {
  std::string function;  // without arguments of templates; "" when unknown
  std::string file;      // "" when unknown: the program was compiled without -g
  int line = 0;
  std::string module;        // the program or library, without its folder
  std::uint64_t offset = 0;  // in the module
  bool of_user = true;       // neither Weir's nor the system's

  std::string text() const;  // "tiles.cpp:40", "fill+0x12 in program (no line: compile with -g)"
};

class Symbols {
 public:
  explicit Symbols(int pid);
  ~Symbols();

  // What is at the address, innermost inlined function first. `exact`: not where a call returns to.
  std::vector<Place> places(std::uint64_t address, bool exact);
  // The innermost place that is the user's own and has a line. Without one, where `function`, which is beneath the
  // frames, jumps to what they are in, if it has one such jump; else the innermost of the user's, or of all.
  Place user_place(const weir::checker::Frames& frames, std::uint64_t function = 0);
  // The global object that has the byte: "table", or "".
  std::string object(std::uint64_t address);

 private:
  // The user's code in the function that jumps out of it, which is how the last call of a function may be made.
  std::vector<Place> last_jumps(std::uint64_t function, int depth);

  struct Session;
  std::unique_ptr<Session> session_;
};

}  // namespace weir::tool::check
