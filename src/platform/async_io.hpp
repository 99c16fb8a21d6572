// SPDX-License-Identifier: Apache-2.0

// Reads and writes of files that go on by themselves: io_uring, or a few threads with pread and pwrite.
//
// Any thread submits; one request may be any size, and the engine keeps several pieces of it, and of the next ones, in
// flight. The answer comes by `done`, on a thread of the engine. An engine is made once, by open_async_io(), and its
// destructor returns when every request has been answered. It knows nothing of blocks: memory/file_store.hpp does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.hpp"
#include "platform/file_io.hpp"

namespace weir::platform {

// The end of the file came before the last byte of a read. Beside errno's own numbers in IoRequest::error.

// One read or write, in the caller's memory from submit() until `done` is called; it does not move meanwhile.
//
// For a file opened with O_DIRECT, offset, data and bytes are multiples of 4096 (or what the file system asks for).
struct IoRequest {
  int fd = -1;
  std::uint64_t offset = 0;
  std::byte* data = nullptr;
  std::size_t bytes = 0;  // 0 is answered with success, and no file is touched
  bool write = false;
  // Called exactly once, after the last byte has arrived or nothing is under way any more, on a thread of the engine
  // and never from within submit(). May submit again, this request too; must not wait for another answer.
  void (*done)(IoRequest& request, const base::Status& status) noexcept = nullptr;
  void* user = nullptr;

  // Set before `done`: 0, an errno, or kEndOfFile; and the bytes of the pieces that were transferred in full.
  int error = 0;
  std::size_t transferred = 0;

  // The engine's while it holds the request.
  IoRequest* next = nullptr;
  std::size_t issued = 0;
  unsigned pieces = 0;
};

// What `error` and `transferred` say: success, no_space (disk full, quota, file too large), or io_error.
base::Status io_status(const IoRequest& request);

enum class IoBackend : unsigned char { auto_, uring, threads };

class AsyncIo {
 public:
  AsyncIo() = default;
  AsyncIo(const AsyncIo&) = delete;
  AsyncIo& operator=(const AsyncIo&) = delete;
  virtual ~AsyncIo() = default;

  // Any thread; never waits for the disk. Cost: one short lock, and a system call when the engine sleeps.
  virtual void submit(IoRequest* request) noexcept = 0;

  // Memory from which and to which requests will go: kept mapped and pinned for the device where that is possible (the
  // pages must be where they are to stay: pinned ones do not migrate). Takes effect a little later; only speed depends
  // on it. Any thread.
  virtual void register_memory(std::span<std::byte> memory) noexcept = 0;
  // Before registered memory is unmapped, when no request uses it: returns when the engine has let go of every range
  // that overlaps it. Any thread but the engine's.
  virtual void forget_memory(std::span<std::byte> memory) noexcept = 0;

  virtual const char* name() const noexcept = 0;  // "io_uring" or "threads"
  // One line for people: the backend, what is in flight at most, and what could not be registered and why.
  virtual std::string report() const = 0;
};

struct IoOptions {
  IoBackend backend = IoBackend::auto_;
  unsigned depth = 0;           // pieces in flight at most; 0: kIoDepth, kIoThreads with threads
  std::size_t piece_bytes = 0;  // of one system call at most, a multiple of 4096; 0: kIoPieceBytes
};

// docs/tuning/memory.md#files
inline constexpr unsigned kIoDepth = 16;
inline constexpr unsigned kIoThreads = 4;
inline constexpr std::size_t kIoPieceBytes = std::size_t{1} << 20;

// auto_: io_uring, or threads where the kernel refuses it or valgrind runs the program, and one message on stderr in
// this process that says why.
// Fails with unsupported when uring is asked for and refused; with bad_option for options out of range.
base::Result<std::unique_ptr<AsyncIo>> open_async_io(const IoOptions& options = {});

}  // namespace weir::platform
