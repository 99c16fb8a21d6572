// SPDX-License-Identifier: Apache-2.0

// A file in which libraries in a program tell `weir run` something, a line a write. It goes with its owner, or
// when a signal ends the program.
#pragma once

#include <string>

#include "base/result.hpp"
#include "platform/temporary_name.hpp"

namespace weir::tool {

class ToldFile {
 public:
  ToldFile();
  ~ToldFile();
  ToldFile(const ToldFile&) = delete;
  ToldFile& operator=(const ToldFile&) = delete;

  // Whether it could be made.
  base::Status status() const;
  const std::string& path() const { return path_; }
  std::string text() const;

 private:
  std::string path_;
  platform::TemporaryName known_;
  int failure_ = 0;
};

}  // namespace weir::tool
