// SPDX-License-Identifier: Apache-2.0

#include "otf2/unit_stack.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace weir::tool::convert {

void UnitStack::write_out() {
  if (status_ && !file_) {
    base::Result<platform::ScratchFile> file = platform::ScratchFile::create_for(path_);
    if (file) {
      file_.emplace(std::move(*file));
    } else {
      status_ = file.status();
    }
  }
  if (status_) status_ = file_->append(std::as_bytes(std::span(units_)));
  units_.clear();
}

bool UnitStack::read_back() {
  if (!status_ || !file_) return false;
  const std::uint64_t there = file_->size() / sizeof(Event);
  units_.resize(std::min<std::uint64_t>(there, kInMemory));
  if (units_.empty()) return false;
  const std::uint64_t at = (there - units_.size()) * sizeof(Event);
  status_ = file_->read(at, std::as_writable_bytes(std::span(units_)));
  if (status_) status_ = file_->shorten(at);
  if (!status_) units_.clear();
  return !units_.empty();
}

}  // namespace weir::tool::convert
