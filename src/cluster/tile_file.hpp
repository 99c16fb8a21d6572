// SPDX-License-Identifier: Apache-2.0

// TileFile: a file that tasks of a rank read tiles from, or write them to, at places of their own. Any thread.
//
// The task that ends the last tile which the rank writes has the file on the device, so that what the system finds
// wrong later (no room over a network, a quota) is a failure of that task.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

#include "platform/process.hpp"
#include "weir/detail/ranked.hpp"

namespace weir::detail {

class TileFile {
 public:
  // A file that cannot be opened fails where it is used: in tasks, whose failure is that of all ranks.
  TileFile(std::string path, const TileFileUse& use);
  // Throw weir::Error with the path.
  void read(void* to, std::size_t bytes, std::size_t offset);
  void write(const void* from, std::size_t bytes, std::size_t offset);
  void end_tile();

 private:
  std::string open(std::size_t bytes);
  [[noreturn]] void fail(const std::string& why) const;

  const std::string path_;
  platform::Descriptor file_;
  const bool is_written_;
  std::atomic<std::size_t> tiles_left_;
  const std::string why_closed_;  // empty: it is open
};

}  // namespace weir::detail
