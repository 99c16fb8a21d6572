// SPDX-License-Identifier: Apache-2.0

// What the engines behind async_io.hpp share: the queue of requests, cut in pieces, and what becomes of each piece.
//
// Not thread-safe: an engine holds its lock around every call.
#pragma once

#include <utility>

#include "platform/async_io.hpp"

namespace weir::platform {

// Part of a request: what one system call is asked for, and what is left of it after a short one.
struct IoPiece {
  IoRequest* request = nullptr;
  std::size_t begin = 0;  // in the request
  std::size_t bytes = 0;
  std::size_t done = 0;     // the next call starts here, in the piece
  std::size_t reached = 0;  // as far as a read has come; beyond `done` after an odd number of bytes

  std::byte* data() const noexcept { return request->data + begin + done; }
  std::uint64_t offset() const noexcept { return request->offset + begin + done; }
  std::size_t left() const noexcept { return bytes - done; }
};

class IoPieces {
 public:
  explicit IoPieces(std::size_t piece_bytes) noexcept : piece_bytes_(piece_bytes) {}

  bool empty() const noexcept { return first_ == nullptr; }
  void push(IoRequest* request) noexcept;
  // The next piece of the oldest request that has one; the caller sees to it that finish() is called for it.
  IoPiece take() noexcept;  // not empty()

  // Takes the result of a system call, negative: an errno. True: the rest of the piece has to be asked for again.
  bool again(IoPiece& piece, long result) noexcept;
  // The piece is over, its system calls have ended. The request when this was its last: it is to be answered.
  IoRequest* finish(const IoPiece& piece) noexcept;

 private:
  void fail(IoRequest& request, int error) noexcept;
  void pop() noexcept;

  const std::size_t piece_bytes_;
  IoRequest* first_ = nullptr;  // requests not all of whose pieces were taken; only the first has begun
  IoRequest* last_ = nullptr;
};

inline void answer(IoRequest& request) noexcept { request.done(request, io_status(request)); }

base::Result<std::unique_ptr<AsyncIo>> open_uring_io(unsigned depth, std::size_t piece_bytes);
std::unique_ptr<AsyncIo> open_threads_io(unsigned threads, std::size_t piece_bytes);

}  // namespace weir::platform
