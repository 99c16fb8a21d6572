// SPDX-License-Identifier: Apache-2.0

// open_async_io(): io_uring where it can be had, else threads.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <system_error>

#include "platform/io_pieces.hpp"

namespace weir::platform {
namespace {

constexpr unsigned kMaxDepth = 1024;

base::Status checked(const IoOptions& options) {
  if (options.depth > kMaxDepth) {
    return {base::Code::bad_option,
            fmt::format("{} pieces in flight: at most {} are possible", options.depth, kMaxDepth)};
  }
  if (options.piece_bytes % 4096 != 0) {
    return {base::Code::bad_option,
            fmt::format("pieces of {} bytes: they have to be a multiple of 4096", options.piece_bytes)};
  }
  return base::Status::success();
}

void warn_once(const std::string& reason) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  std::fprintf(stderr,
               "weir: %s; files are read and written by %u threads instead, which is slower (allow io_uring in the "
               "container's seccomp profile and in kernel.io_uring_disabled, or ask for io=threads)\n",
               reason.c_str(), kIoThreads);
}

}  // namespace

base::Result<std::unique_ptr<AsyncIo>> open_async_io(const IoOptions& options) {
  if (auto status = checked(options); !status) return status;
  const std::size_t piece_bytes = options.piece_bytes == 0 ? kIoPieceBytes : options.piece_bytes;
  try {
    if (options.backend != IoBackend::threads) {
      auto uring = open_uring_io(options.depth == 0 ? kIoDepth : options.depth, piece_bytes);
      if (uring || options.backend == IoBackend::uring) return uring;
      warn_once(uring.status().message);
    }
    return open_threads_io(options.depth == 0 ? kIoThreads : options.depth, piece_bytes);
  } catch (const std::system_error& failure) {
    return base::Status{base::Code::unsupported, fmt::format("file I/O: {}", failure.what())};
  }
}

}  // namespace weir::platform
