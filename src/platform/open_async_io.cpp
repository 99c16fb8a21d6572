// SPDX-License-Identifier: Apache-2.0

// open_async_io(): io_uring where it can be had, else threads.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

void warn_once(const std::string& reason, const char* remedy) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  std::fprintf(stderr, "weir: %s; files are read and written by %u threads instead, which is slower (%s)\n",
               reason.c_str(), kIoThreads, remedy);
}

// It preloads a library of its own into the program. Valgrind 3.19 lets no other thread run while one waits in the
// system call io_uring_enter.
bool runs_under_valgrind() noexcept {
  const char* const preloaded = std::getenv("LD_PRELOAD");
  return preloaded != nullptr && std::strstr(preloaded, "/vgpreload_") != nullptr;
}

base::Result<std::unique_ptr<AsyncIo>> open_uring_unless_it_hangs(const IoOptions& options, std::size_t piece_bytes) {
  if (options.backend == IoBackend::auto_ && runs_under_valgrind())
    return base::Status{base::Code::unsupported, "valgrind runs the program, which io_uring would make hang"};
  return open_uring_io(options.depth == 0 ? kIoDepth : options.depth, piece_bytes);
}

const char* remedy_for_refusal() noexcept {
  if (runs_under_valgrind()) return "ask for io=threads, which prints nothing";
  return "allow io_uring in the container's seccomp profile and in kernel.io_uring_disabled, or ask for io=threads";
}

}  // namespace

base::Result<std::unique_ptr<AsyncIo>> open_async_io(const IoOptions& options) {
  if (auto status = checked(options); !status) return status;
  const std::size_t piece_bytes = options.piece_bytes == 0 ? kIoPieceBytes : options.piece_bytes;
  try {
    if (options.backend != IoBackend::threads) {
      auto uring = open_uring_unless_it_hangs(options, piece_bytes);
      if (uring || options.backend == IoBackend::uring) return uring;
      warn_once(uring.status().message, remedy_for_refusal());
    }
    return open_threads_io(options.depth == 0 ? kIoThreads : options.depth, piece_bytes);
  } catch (const std::system_error& failure) {
    return base::Status{base::Code::unsupported, fmt::format("file I/O: {}", failure.what())};
  }
}

}  // namespace weir::platform
