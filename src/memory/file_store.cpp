// SPDX-License-Identifier: Apache-2.0

#include "memory/file_store.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

#include "base/check.hpp"
#include "memory/store_file.hpp"
#include "memory/tier_spec.hpp"

namespace weir::memory {
namespace {

bool has_no_holes(int error) noexcept { return error == EOPNOTSUPP || error == ENOSYS || error == EINVAL; }

}  // namespace

base::Result<std::unique_ptr<FileStore>> FileStore::open(const Config& config, platform::AsyncIo& io) {
  auto file = StoreFile::open(config.path);
  if (!file) return file.status();
  auto free = file->free_bytes();
  if (!free) return free.status();
  if (config.capacity.count == 0 && *free == RLIM_INFINITY) {
    return base::Status{
        base::Code::bad_option,
        fmt::format("{}: its file system does not say what is free: say how much the tier may have", file->name())};
  }
  std::uint64_t capacity = config.capacity.count == 0 ? *free - *free / 16 : config.capacity.count;
  if (capacity > *free) {
    return base::Status{base::Code::no_space,
                        fmt::format("{}: {} asked, {} free there (and allowed by ulimit -f): ask for less, or name a "
                                    "place on a larger disk",
                                    file->name(), size_text({capacity}), size_text({*free}))};
  }
  capacity = capacity / kGranule * kGranule;
  if (capacity == 0) {
    return base::Status{base::Code::bad_option,
                        fmt::format("{}: {} bytes are too few, 4096 at least", file->name(), config.capacity.count)};
  }
  return std::unique_ptr<FileStore>(new FileStore(io, std::move(*file), capacity, config.holes));
}

FileStore::FileStore(platform::AsyncIo& io, StoreFile file, std::uint64_t capacity, bool may_punch)
    : io_(io), file_(std::move(file)), capacity_(capacity), may_punch_(may_punch), ranges_(capacity, kGranule) {}

base::Result<Range> FileStore::reserve(std::uint64_t bytes, std::string_view block) {
  WEIR_CHECK(bytes > 0 && bytes <= std::uint64_t{1} << 62, "room for something that can be");
  const base::Lock lock(mutex_);
  std::optional<Range> range = ranges_.allocate(bytes);
  if (!range && ranges_.has_room(bytes)) range = reserve_beyond(bytes);
  if (!range) return no_room(bytes, block);
  if (const int error = provide(*range); error != 0) {
    give_back(*range);
    return base::Status{StoreFile::is_full(error) ? base::Code::no_space : base::Code::io_error,
                        fmt::format("{}: no room for block '{}' of {} bytes at offset {}: {}; {}", name(), block, bytes,
                                    range->offset, std::generic_category().message(error), StoreFile::remedy(error))};
  }
  return *range;
}

// What is free below the budget is in pieces.
std::optional<Range> FileStore::reserve_beyond(std::uint64_t bytes) {
  if (!punch_what_is_free()) return std::nullopt;
  const std::optional<Range> range = ranges_.allocate_beyond(bytes);
  if (!range || range->offset + range->bytes <= StoreFile::longest()) return range;
  ranges_.free(*range);
  return std::nullopt;
}

// From the first time on every range has its space on the disk when it is reserved, and none when it is free: the file
// takes no more than its budget, however long it is. False: its file system has no holes.
bool FileStore::punch_what_is_free() {
  if (punches_ || !may_punch_) return punches_;
  for (const Range hole : ranges_.holes()) {
    const std::uint64_t end = std::min<std::uint64_t>(hole.offset + hole.bytes, allocated_);
    if (hole.offset >= end) break;
    const int error = file_.punch(hole.offset, end);
    may_punch_ = !has_no_holes(error);
    if (!may_punch_) return false;
  }
  return punches_ = true;
}

base::Status FileStore::no_room(std::uint64_t bytes, std::string_view block) const {
  const char* why = "";
  if (ranges_.has_room(bytes)) {
    why = may_punch_ ? ", and the file may be no longer (ulimit -f)"
                     : ", and its file system cannot punch holes, by which blocks would have a place behind these";
  }
  return {base::Code::no_space,
          fmt::format("{}: no room for block '{}' of {} bytes: {} of {} in use, the largest hole has {} bytes{}; give "
                      "the tier more",
                      name(), block, bytes, size_text({ranges_.used()}), size_text({capacity_}), ranges_.largest_hole(),
                      why)};
}

base::Status FileStore::populate(std::uint64_t offset, std::size_t bytes) {
  const base::Lock lock(mutex_);
  const int error = provide({offset, bytes});
  if (error == 0) return base::Status::success();
  return {StoreFile::is_full(error) ? base::Code::no_space : base::Code::io_error,
          fmt::format("{}: no room for {} bytes at offset {}: {}; {}", name(), bytes, offset,
                      std::generic_category().message(error), StoreFile::remedy(error))};
}

// An errno.
int FileStore::provide(Range range) noexcept {
  const std::uint64_t end = range.offset + range.bytes;
  if (!punches_) return grow(end);
  const int error = file_.extend(range.offset, end);
  if (error == 0) allocated_ = std::max<std::uint64_t>(allocated_, end);
  return error;
}

// In large steps, and where the disk has no such step any more, by what is needed. An errno.
int FileStore::grow(std::uint64_t end) noexcept {
  const std::uint64_t allocated = allocated_;
  if (end <= allocated) return 0;
  std::uint64_t to = std::min(std::max(end, allocated + kGrowthBytes), capacity_);
  int error = file_.extend(allocated, to);
  if (StoreFile::is_full(error) && to > end) error = file_.extend(allocated, to = end);
  if (error == 0) allocated_ = to;
  return error;
}

void FileStore::free(Range range) noexcept {
  const base::Lock lock(mutex_);
  give_back(range);
}

// Space that the disk does not take back is the file's until it ends: what is written later may find the disk full.
void FileStore::give_back(Range range) noexcept {
  if (punches_) file_.punch(range.offset, range.offset + range.bytes);
  WEIR_CHECK(ranges_.free(range), "a range is released once");
}

void FileStore::start(FileTransfer& transfer) noexcept {
  WEIR_CHECK(transfer.bytes <= transfer.range.bytes, "a block fits its range");
  transfer.store = this;
  transfer.file_was_cut = cut();
  platform::IoRequest& request = transfer.request;
  request.fd = file_.descriptor();
  request.offset = transfer.range.offset;
  request.data = transfer.memory;
  request.bytes = transfer.file_was_cut ? 0 : RangeAllocator::rounded(transfer.bytes, kGranule);
  request.write = transfer.write;
  request.done = answered;
  request.user = &transfer;
  io_.submit(&request);
}

// A file that was cut, and extended again by a write behind its end, reads as zeros between: so its length is asked
// before and after.
void FileStore::answered(platform::IoRequest& request, const base::Status& status) noexcept {
  FileTransfer& transfer = *static_cast<FileTransfer*>(request.user);
  transfer.file_was_cut = transfer.file_was_cut || transfer.store->cut();
  const bool succeeded = status && !transfer.file_was_cut;
  transfer.done(transfer, succeeded ? base::Status::success() : transfer.store->failure(transfer));
}

base::Status FileStore::failure(const FileTransfer& transfer) const {
  const int error = transfer.file_was_cut ? platform::kEndOfFile : transfer.request.error;
  return {StoreFile::is_full(error) ? base::Code::no_space : base::Code::io_error,
          fmt::format(
              "{}: {} block '{}', {} bytes at offset {}, failed: {}; {}", name(),
              transfer.write ? "writing" : "reading", transfer.block, transfer.bytes, transfer.range.offset,
              error == platform::kEndOfFile ? "the file has become shorter" : std::generic_category().message(error),
              StoreFile::remedy(error))};
}

base::Result<std::byte*> FileStore::map(Range range, std::string_view block) {
  void* const address = mmap(nullptr, range.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.descriptor(),
                             static_cast<off_t>(range.offset));
  if (address == MAP_FAILED) return cannot_map(range, block, errno);
  return static_cast<std::byte*>(address);
}

void FileStore::unmap(void* address, Range range) noexcept {
  WEIR_CHECK(munmap(address, range.bytes) == 0, "a range is unmapped that is not mapped");
}

// Linux before 5.14 cannot be asked: then only the length is looked at.
base::Status FileStore::touch(void* address, Range range, std::string_view block) noexcept {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers do not have
  if (cut()) return cannot_map(range, block, platform::kEndOfFile);
  int result = 0;
  do {
    result = madvise(address, range.bytes, kPopulateWrite);
  } while (result != 0 && (errno == EINTR || errno == EAGAIN));
  if (result == 0 || errno == EINVAL) return base::Status::success();
  return cannot_map(range, block, cut() ? platform::kEndOfFile : errno == EFAULT ? EIO : errno);
}

base::Status FileStore::cannot_map(Range range, std::string_view block, int error) const {
  return {base::Code::io_error, fmt::format("{}: using block '{}' in place, {} bytes at offset {}, failed: {}; {}",
                                            name(), block, range.bytes, range.offset,
                                            error == platform::kEndOfFile ? "the file has become shorter"
                                                                          : std::generic_category().message(error),
                                            StoreFile::remedy(error))};
}

bool FileStore::cut() noexcept {
  struct stat now {};
  const std::uint64_t allocated = allocated_;
  if (fstat(file_.descriptor(), &now) != 0 || static_cast<std::uint64_t>(now.st_size) < allocated) cut_ = true;
  return cut_;
}

std::uint64_t FileStore::used() const {
  const base::Lock lock(mutex_);
  return ranges_.used();
}

std::uint64_t FileStore::peak() const {
  const base::Lock lock(mutex_);
  return ranges_.peak();
}

}  // namespace weir::memory
