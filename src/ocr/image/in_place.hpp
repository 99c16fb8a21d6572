// SPDX-License-Identifier: Apache-2.0

// InPlace: a block of the data layer where it can be read, for a thread that is no worker.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <optional>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "runtime/blocks.hpp"

namespace weir::ocr {

class InPlace final : public data::Requester {
 public:
  // It stays there while this lives. Waits until there is room for it, for so long at most.
  InPlace(data::Store& store, data::Block& block, std::chrono::seconds patience);
  ~InPlace();
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

  // no_space, io_error: it is not there.
  base::Status status() const;
  const std::byte* address() const noexcept;

  void staged(data::Request&) noexcept override;

 private:
  bool wait(std::chrono::seconds patience);

  data::Store& store_;
  data::Block& block_;
  std::optional<data::Request> request_;  // none: it is held without
  bool withdrawn_ = false;
  base::Mutex mutex_;
  std::condition_variable changed_;
  bool done_ WEIR_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::ocr
