// SPDX-License-Identifier: Apache-2.0

// Image: what an OCR program is at one moment, on its way into a file.
//
// What EDTs may change at once is copied while the program stands still. The blocks that none may change yet are kept
// as they are (blocks/keeping.hpp): they are written while EDTs run again, and let go one by one. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/course.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/image/format.hpp"
#include "ocr/image/frontier.hpp"
#include "ocr/image/gathered.hpp"
#include "ocr/image/pieces.hpp"
#include "ocr/program/program.hpp"
#include "runtime/blocks.hpp"

namespace weir::ocr {

class Image {
 public:
  // `local`: of the calling thread; null: no block is kept, and all are copied.
  Image(checkpoint::Course& course, Program& program, data::Store& store, Local* local) noexcept
      : course_(course), program_(program), store_(store), local_(local) {}
  // Lets go what it still keeps.
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  // Before it stands still: memory for what is copied then, in pieces. Throws std::bad_alloc.
  void prepare(std::size_t pieces) { pieces_.prepare(pieces); }
  // After take().
  std::size_t copied_pieces() const noexcept { return pieces_.most(); }

  // While the program stands still. unsupported, lost: as write_frontier(). no_space, io_error. Throws std::bad_alloc.
  base::Status take();
  // Afterwards, while EDTs run: all is written, and on the device. Course::begin() comes before both. no_space,
  // io_error. Throws std::bad_alloc.
  base::Status write();

 private:
  struct Source {
    Block* block;
    std::size_t item;
  };

  void list(const std::vector<Block*>& blocks, std::size_t first_kept);
  bool fits_in_memory() const noexcept;
  base::Status open();
  base::Status copy(const Source& from);
  void put(const Source& to, std::span<const std::byte> contents);
  base::Status write_kept(const Source& from);
  void let_go(std::size_t end);
  template <class F>
  base::Status with_contents(Block& block, std::chrono::seconds patience, F&& f);

  checkpoint::Course& course_;
  Program& program_;
  data::Store& store_;
  Local* const local_;
  Frontier frontier_;
  std::vector<checkpoint::ImageItem> items_;
  std::vector<Source> copied_, kept_;  // small ones first
  std::size_t keeping_ = 0;            // of kept_: how many are, up to the end
  std::unique_ptr<checkpoint::ImageWriter> file_;
  Pieces pieces_;
  Gathered small_{pieces_, kGatheredItem};
};

}  // namespace weir::ocr
