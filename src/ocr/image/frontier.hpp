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
  // `path`: of the checkpoint, for messages. bad_input: it is of another program, or damaged.
  static base::Result<std::unique_ptr<Revival>> read(Local& local, const std::string& path, const std::string& bytes);
  virtual ~Revival() = default;

  struct PastBlock {
    Guid guid;
    std::uint64_t bytes;
    std::byte* data;  // where its contents go; in place until end_block()
  };
  // Templates, maps and counters are there; then blocks, one after another. False: there is none any more.
  virtual base::Result<bool> next_block(PastBlock& block) = 0;
  virtual void end_block(const PastBlock& block) = 0;
  // Then events, EDTs and dependences: none of these EDTs is ready.
  virtual base::Status make_graph() = 0;
  // Where the slots of this rank's EDTs were, and are. After make_graph().
  virtual const KnownSlots& slots() const noexcept = 0;
  // Links to slots of other ranks, as these had them. After make_graph(), before any event fires.
  virtual const std::vector<FarLink>& far_links() const noexcept = 0;
  // EDTs of which nothing is missing are ready.
  virtual void make_ready() = 0;
};

}  // namespace weir::ocr
