// SPDX-License-Identifier: Apache-2.0

// TileFile: a file that tasks of a rank read tiles from, or write them to, at places of their own. Any thread.
#pragma once

#include <cstddef>
#include <string>

#include "platform/process.hpp"

namespace weir::detail {

class TileFile {
 public:
  // Throw weir::Error with the path.
  TileFile(std::string path, std::size_t bytes, bool is_written);
  void read(void* to, std::size_t bytes, std::size_t offset);
  void write(const void* from, std::size_t bytes, std::size_t offset);

 private:
  [[noreturn]] void fail(const char* what, const std::string& why) const;

  const std::string path_;
  platform::Descriptor file_;
};

}  // namespace weir::detail
