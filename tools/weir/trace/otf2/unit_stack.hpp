// SPDX-License-Identifier: Apache-2.0

// UnitStack: units of the size of an event, of which the last one in is the first one out: on disk, but for the last
// few. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "names.hpp"
#include "platform/scratch_file.hpp"

namespace weir::tool::convert {

class UnitStack {
 public:
  // Its file, which is made when there is need of one, lies in the folder of `path`.
  explicit UnitStack(std::string path) : path_(std::move(path)) {}

  void push(const Event& unit) {
    if (units_.size() == kInMemory) write_out();
    units_.push_back(unit);
  }
  // False when there is none.
  bool pop(Event& unit) {
    if (units_.empty() && !read_back()) return false;
    unit = units_.back();
    units_.pop_back();
    return true;
  }

  // The first failure, after which nothing is kept on disk any more. io_error.
  const base::Status& status() const noexcept { return status_; }

 private:
  static constexpr std::size_t kInMemory = std::size_t{1} << 13;  // 256 KiB

  void write_out();
  bool read_back();

  const std::string path_;
  std::vector<Event> units_;
  std::optional<platform::ScratchFile> file_;
  base::Status status_;
};

}  // namespace weir::tool::convert
