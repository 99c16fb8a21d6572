// SPDX-License-Identifier: Apache-2.0

// OutsideOfEdts: while it lives the thread, which may be in an EDT, is in none: what it makes is of none, nor is it in
// the finish scope of one.
#pragma once

#include <utility>

#include "ocr/graph/local.hpp"

namespace weir::ocr {

class OutsideOfEdts {
 public:
  explicit OutsideOfEdts(Local& local) noexcept
      : local_(local),
        current_(std::exchange(local.current, nullptr)),
        performed_(std::exchange(local.performs, true)) {}
  ~OutsideOfEdts() {
    local_.current = current_;
    local_.performs = performed_;
  }
  OutsideOfEdts(const OutsideOfEdts&) = delete;
  OutsideOfEdts& operator=(const OutsideOfEdts&) = delete;

 private:
  Local& local_;
  Run* const current_;
  const bool performed_;
};

}  // namespace weir::ocr
