// SPDX-License-Identifier: Apache-2.0

// An AsyncIo for tests: another one, with faults at chosen requests.
//
// Requests are counted from 1, reads and writes apart, in the order of submit(). Everything else passes through.
// Any thread.
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "platform/async_io.hpp"

namespace weir::platform {

struct IoFault {
  enum class Kind : unsigned char {
    error,           // answered with `error`, and nothing is transferred
    short_transfer,  // the first half is transferred, then a read ends with kEndOfFile, a write with `error`
    delay,           // submitted after `delay`
  };
  Kind kind = Kind::error;
  bool write = false;
  std::uint64_t first = 1;  // the number of the first request that it hits
  std::uint64_t count = 1;  // how many in a row
  int error = EIO;          // an errno
  std::chrono::microseconds delay{0};
};

class FaultyIo final : public AsyncIo {
 public:
  FaultyIo(std::unique_ptr<AsyncIo> inner, std::vector<IoFault> faults);
  ~FaultyIo() override;  // after every delayed request was answered

  void submit(IoRequest* request) noexcept override;
  void register_memory(std::span<std::byte> memory) noexcept override;
  void forget_memory(std::span<std::byte> memory) noexcept override;
  const char* name() const noexcept override;
  std::string report() const override;

  std::uint64_t reads() const noexcept { return reads_; }
  std::uint64_t writes() const noexcept { return writes_; }

 private:
  const IoFault* fault_of(const IoRequest& request) noexcept;
  void submit_broken(IoRequest* request, const IoFault& fault);

  std::unique_ptr<AsyncIo> inner_;
  const std::vector<IoFault> faults_;
  std::atomic<std::uint64_t> reads_{0}, writes_{0};  // submitters count
  base::Mutex mutex_;
  std::vector<std::jthread> delayed_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::platform
