// SPDX-License-Identifier: Apache-2.0

// The path of a file that is not there yet, in a folder that goes away with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace weir::trace {

class TemporaryPath {
 public:
  TemporaryPath() : folder_((std::filesystem::temp_directory_path() / "weir-trace-XXXXXX").string()) {
    if (mkdtemp(folder_.data()) == nullptr) std::abort();
  }
  ~TemporaryPath() { std::filesystem::remove_all(folder_); }

  const std::string& folder() const noexcept { return folder_; }
  std::string file() const { return folder_ + "/trace.weir"; }
  long files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }

 private:
  std::string folder_;
};

}  // namespace weir::trace
