// SPDX-License-Identifier: Apache-2.0

// Segment: what the memory of islands lies in, and over which memory nodes or controllers it is spread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "memory/shared_backing.hpp"
#include "weir/options.hpp"

namespace weir::island {

struct Segment {
  Bytes size;
  std::string file{};            // "": memory without a name
  std::vector<int> os_nodes{};   // the kernel's numbers; none: wherever it puts the memory
  std::size_t places = 1;        // nodes, or controllers; stripes of the memory are theirs in turn
  std::size_t stripe = 0;        // bytes, a power of two
  bool attach = false;           // it is there and another process's: nothing is made or placed
  bool keeps_name = false;       // of a file that is made: others will attach by it, and then remove_name() is called
  std::byte* address = nullptr;  // where the program is to find it; null: anywhere

  // As the options say it, of no size yet. bad_option: a number that is none, nodes and controllers that do not agree.
  static base::Result<Segment> from(const Options& options);
  // Where stripes are told apart: what begins at a multiple of it begins in the first place.
  std::size_t alignment() const noexcept { return places > 1 ? places * stripe : 1; }
};

// Memory that processes forked later share, at one address; pages appear when touched. What was in a file or a device
// is there still. A file that is made has no name any more, unless it is to keep it. Fails with what was asked and what
// there was: no_space for addresses, room in a file or file system, large pages; bad_option for what cannot be mapped;
// unsupported where the kernel forbids placement.
base::Result<std::unique_ptr<memory::SharedBacking>> map_segment(const Segment& segment);

}  // namespace weir::island
