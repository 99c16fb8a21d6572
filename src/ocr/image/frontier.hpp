// SPDX-License-Identifier: Apache-2.0

// The frontier of an OCR program: all its objects but the contents of blocks, as bytes, and from bytes.
//
// write_frontier(): any thread, while the program stands still (Halt). The others: the first thread, before any
// EDT runs, of a System in which nothing was made yet.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/image/far_slots.hpp"
#include "ocr/objects/block.hpp"

namespace weir::ocr {

struct Frontier {
  std::string bytes;
  std::string rank_state;
  std::vector<Block*> blocks;  // whose contents are to be written with it
  std::size_t first_kept = 0;  // of these: from here on they can stay as they are while EDTs run (blocks/keeping.hpp)
  // What has come back from another rank, and is not in its block yet. None of these blocks is kept.
  std::unordered_map<const Block*, std::span<const std::byte>> coming_back;
};
// `keeps`: whether blocks are to be kept at all. unsupported: there is what cannot be restored. lost: an EDT waits
// within its function.
base::Result<Frontier> write_frontier(bool keeps);

// What a frontier says, while it is made again. All throw std::bad_alloc.
class Revival {
 public:
  struct Source {
    std::string path;           // of the checkpoint, for messages
    Rank writer{};              // that has written it
    std::uint32_t writers = 1;  // so many have
  };
  // `slots` gets where the slots of its EDTs were, and are. bad_input: it is of another program, or damaged.
  static base::Result<std::unique_ptr<Revival>> read(Local& local, Source source, KnownSlots& slots,
                                                     const std::string& bytes);
  virtual ~Revival() = default;

  struct PastBlock {
    Guid guid;
    std::uint64_t bytes;
    std::byte* data;  // where its contents go; in place until end_block()
  };
  // Templates and maps are there; then blocks, one after another. False: there is none any more.
  virtual base::Result<bool> next_block(PastBlock& block) = 0;
  virtual void end_block(const PastBlock& block) = 0;
  // Then events and EDTs: none of these is ready.
  virtual base::Status make_graph() = 0;
  // Then dependences, when the EDTs of all that this rank adopts are there.
  virtual base::Status link() = 0;
  // Links to slots of other ranks, as these had them. After link(), before any event fires.
  virtual const std::vector<FarLink>& far_links() const noexcept = 0;
  // EDTs of which nothing is missing are ready.
  virtual void make_ready() = 0;
  // Then, when those of all that this rank adopts are: blocks that were destroyed while EDTs had them.
  virtual void destroy_gone() = 0;
};

}  // namespace weir::ocr
