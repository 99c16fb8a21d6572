// SPDX-License-Identifier: Apache-2.0

// Ending: what is to be done when something that was begun has ended, or never will.
#pragma once

#include <memory>
#include <string>

namespace weir::cluster {

class Ending {
 public:
  virtual ~Ending() = default;
  // Exactly one of them, once, on any thread; neither waits.
  virtual void done() noexcept = 0;
  virtual void failed(const std::string& why) noexcept = 0;
  // It is a task that ends then.
  virtual bool is_of_task() const noexcept { return false; }
};
using EndingPtr = std::unique_ptr<Ending>;

}  // namespace weir::cluster
