// SPDX-License-Identifier: Apache-2.0

// The file behind a file tier: ranges of 4096-byte granules, read and written with an AsyncIo.
//
// The file is opened by store_file.hpp, without the page cache where that is possible. Space is allocated on the disk
// when it is reserved. Whatever fits the capacity has a place, however much of it is free in pieces: then holes are
// punched there, and blocks lie behind the capacity (file_ranges.hpp). A file that others shorten is an error of every
// transfer from then on, never zeros. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.hpp"
#include "base/mutex.hpp"
#include "base/result.hpp"
#include "memory/backing.hpp"
#include "memory/file_ranges.hpp"
#include "memory/range_allocator.hpp"
#include "memory/store_file.hpp"
#include "platform/async_io.hpp"

namespace weir::memory {

class FileStore;

// One block on its way to or from the file; the caller's, and where it is until `done` is called.
struct FileTransfer {
  Range range;
  std::byte* memory = nullptr;  // 4096-aligned, with room for `bytes` rounded up to 4096
  std::size_t bytes = 0;        // at most the range's
  bool write = false;
  std::string_view block;  // its name, for errors
  // Once, on a thread of the AsyncIo, never from within start().
  void (*done)(FileTransfer& transfer, const base::Status& status) noexcept = nullptr;
  void* user = nullptr;

  // The store's while it holds the transfer.
  FileStore* store = nullptr;
  platform::IoRequest request;
  bool file_was_cut = false;
};

class FileStore final : public Backing {
 public:
  static constexpr std::uint64_t kGranule = 4096;

  struct Config {
    std::string path;   // a folder, or a file that does not exist or is empty
    Bytes capacity{};   // rounded down to granules; 0: what is free less a sixteenth
    bool holes = true;  // false, for tests: as on a file system that cannot punch them
  };

  // `io` outlives the store. Fails with no_space when less is free than is asked for, bad_option for a path that is
  // neither a folder nor a new or empty file, io_error with what the system said.
  static base::Result<std::unique_ptr<FileStore>> open(const Config& config, platform::AsyncIo& io);
  // Destroyed when no transfer is under way.

  BackingKind kind() const noexcept override { return BackingKind::file; }
  Bytes size() const noexcept override { return {capacity_}; }
  // Allocates the range on the disk.
  base::Status populate(std::uint64_t offset, std::size_t bytes) override;

  // Room for `bytes`, rounded up to granules, on the disk. `block` is for the message. Fails with no_space when the
  // capacity or the disk is exhausted, or what is free of the capacity is in pieces and the file system has no holes.
  // Cost: O(log n), and a system call for each kGrowthBytes new ones; with holes, one here and one in free().
  base::Result<Range> reserve(std::uint64_t bytes, std::string_view block);
  // What reserve() gave; free from then on.
  void free(Range range) noexcept;

  // Reads or writes `bytes`, rounded up to 4096, at the start of the range. Fails with no_space or io_error; the
  // message names the file, the block, the offset, and what to do.
  void start(FileTransfer& transfer) noexcept;

  // The range as memory, through the page cache: outside of the budget of every tier, taken back by the kernel when it
  // wants. Transfers of the range, before and after, and the memory show the same contents; while it is
  // mapped, none is under way. `block` is for the message. Fails with io_error.
  base::Result<std::byte*> map(Range range, std::string_view block);
  static void unmap(void* address, Range range) noexcept;
  // Reads what map() gave, so that a file that is broken is an error here, and no signal later. Blocks.
  base::Status touch(void* address, Range range, std::string_view block) noexcept;

  // What is reserved, at the moment and at most so far.
  std::uint64_t used() const;
  std::uint64_t peak() const;
  std::uint64_t capacity() const noexcept { return capacity_; }
  bool direct() const noexcept { return file_.direct(); }  // false: through the page cache, which costs memory
  std::string name() const override { return file_.name(); }
  // For tests that damage the file.
  int descriptor() const noexcept { return file_.descriptor(); }

  static constexpr std::uint64_t kGrowthBytes = std::uint64_t{256} << 20;

 private:
  FileStore(platform::AsyncIo& io, StoreFile file, std::uint64_t capacity, bool may_punch);
  static void answered(platform::IoRequest& request, const base::Status& status) noexcept;
  std::optional<Range> reserve_beyond(std::uint64_t bytes) WEIR_REQUIRES(mutex_);
  bool punch_what_is_free() WEIR_REQUIRES(mutex_);
  base::Status no_room(std::uint64_t bytes, std::string_view block) const WEIR_REQUIRES(mutex_);
  int provide(Range range) noexcept WEIR_REQUIRES(mutex_);
  int grow(std::uint64_t end) noexcept WEIR_REQUIRES(mutex_);
  void give_back(Range range) noexcept WEIR_REQUIRES(mutex_);
  base::Status failure(const FileTransfer& transfer) const;
  base::Status cannot_map(Range range, std::string_view block, int error) const;
  bool cut() noexcept;

  platform::AsyncIo& io_;
  const StoreFile file_;
  const std::uint64_t capacity_;

  mutable base::Mutex mutex_;
  bool may_punch_ WEIR_GUARDED_BY(mutex_);        // false: the file system has said that it has no holes
  bool punches_ WEIR_GUARDED_BY(mutex_) = false;  // what is free has no space on the disk
  FileRanges ranges_ WEIR_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> allocated_{0};  // how long the file is; written by provide()
  std::atomic<bool> cut_{false};             // true from when the file was first seen shorter than that
};

}  // namespace weir::memory
