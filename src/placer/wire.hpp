// SPDX-License-Identifier: Apache-2.0

// What `weir run --memory` tells the library in the program, in one variable, and what the library tells it, in a file.
//
// The variable: "from=BYTES mode=NUMBER one=NODE nodes=A,B,C report=FILE", FILE to the end. The file gets one line a
// write: "start PID SPACE:START", and "end PID SPACE:START FAILURES own-malloc KIND:NODE:BYTES... name NAME" with NAME
// to the end; "own-malloc" where large allocations of the program do not come here. SPACE:START tells processes of one
// number apart, of several spaces of such numbers or of several times. A process that begins another program starts
// again; one that ends twice has the last line; one that never ended is told apart by its missing line.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::placer {

inline constexpr const char* kVariable = "WEIR_PLACER";

inline constexpr const char* kOwnMalloc = "own-malloc";
inline constexpr const char* kName = "name";

// What bytes of a program are.
enum class Kind : unsigned char {
  large,   // allocations from the size given with --from
  heap,    // other allocations, and what the program has mapped itself
  stacks,  // of all threads
  data,    // static data of the program and its libraries
  shared,  // memory shared with other processes
};
inline constexpr std::size_t kKinds = 5;
inline constexpr const char* kKindNames[kKinds] = {"large", "heap", "stacks", "data", "shared"};

// Nodes are counted one by one up to here, and those above as the last.
inline constexpr std::size_t kMostNodes = 256;

}  // namespace weir::placer
