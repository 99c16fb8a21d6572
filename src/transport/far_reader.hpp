// SPDX-License-Identifier: Apache-2.0

// FarReader: gets what lies on other hosts, on a thread of its own, as many at a time as there are. Any thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "transport/transport.hpp"

namespace weir::transport {

class FarReader {
 public:
  // Its thread starts with the first read.
  explicit FarReader(Transport& transport) noexcept : transport_(transport) {}
  // What was asked for is read first.
  ~FarReader();

  // On the reader's thread, or, where that cannot start (no_space), on the calling one.
  using Done = std::function<void(const base::Status& status)>;
  void read(Location from, std::span<std::byte> to, Done done);

 private:
  struct Read {
    Location from;
    std::span<std::byte> to;
    Done done;
    base::Status begun{};
  };
  base::Status start();
  void run();
  void perform(Channel& channel, std::vector<Read>& reads);

  Transport& transport_;
  base::Mutex mutex_;
  std::condition_variable more_;
  std::vector<Read> waiting_ WEIR_GUARDED_BY(mutex_);
  bool ends_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::transport
