// SPDX-License-Identifier: Apache-2.0

// The engine for where io_uring is forbidden: threads that take pieces from the queue and call pread and pwrite.
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <vector>

#include <fmt/format.h>

#include "base/mutex.hpp"
#include "platform/io_pieces.hpp"
#include "platform/start_thread.hpp"

namespace weir::platform {
namespace {

long transfer(const IoPiece& piece) noexcept {
  if (piece.left() == 0) return 0;
  const auto offset = static_cast<off_t>(piece.offset());
  const ssize_t result = piece.request->write ? pwrite(piece.request->fd, piece.data(), piece.left(), offset)
                                              : pread(piece.request->fd, piece.data(), piece.left(), offset);
  return result < 0 ? -errno : result;
}

class ThreadsIo final : public AsyncIo {
 public:
  ThreadsIo(unsigned threads, std::size_t piece_bytes) : piece_bytes_(piece_bytes), pieces_(piece_bytes) {
    try {
      for (unsigned i = 0; i < threads; ++i) threads_.push_back(start_thread("weir files", [this] { run(); }));
    } catch (...) {
      stop();
      throw;
    }
  }

  ~ThreadsIo() override { stop(); }

  void submit(IoRequest* request) noexcept override {
    const bool several = request->bytes > piece_bytes_;
    {
      const base::Lock lock(mutex_);
      pieces_.push(request);
    }
    several ? wake_.notify_all() : wake_.notify_one();
  }

  void register_memory(std::span<std::byte>) noexcept override {}
  void forget_memory(std::span<std::byte>) noexcept override {}
  const char* name() const noexcept override { return "threads"; }
  std::string report() const override {
    return fmt::format("threads: {} with pread and pwrite, pieces of {} KiB", threads_.size(), piece_bytes_ / 1024);
  }

 private:
  void stop() noexcept {
    {
      const base::Lock lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  void run() noexcept {
    base::Lock lock(mutex_);
    while (true) {
      while (!stopping_ && pieces_.empty()) lock.wait(wake_);
      if (pieces_.empty()) return;
      IoPiece piece = pieces_.take();
      long result = 0;
      do {
        lock.unlock();
        result = transfer(piece);
        lock.lock();
      } while (pieces_.again(piece, result));
      if (IoRequest* request = pieces_.finish(piece)) {
        lock.unlock();
        answer(*request);
        lock.lock();
      }
    }
  }

  const std::size_t piece_bytes_;
  base::Mutex mutex_;
  std::condition_variable wake_;
  IoPieces pieces_ WEIR_GUARDED_BY(mutex_);
  bool stopping_ WEIR_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace

std::unique_ptr<AsyncIo> open_threads_io(unsigned threads, std::size_t piece_bytes) {
  return std::make_unique<ThreadsIo>(threads, piece_bytes);
}

}  // namespace weir::platform
