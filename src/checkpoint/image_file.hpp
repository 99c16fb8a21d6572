// SPDX-License-Identifier: Apache-2.0

// ImageFile: the contents of blocks that one rank has written at a checkpoint, in a file of its own.
//
//   head | contents of each item, at multiples of kAlignment | index: key, name, bytes, writes, place and checksum of
//   each
//
// The head is written last. CRC-32C of each item, of the index and of the head.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/pieces.hpp"
#include "platform/process.hpp"

namespace weir::checkpoint {

struct ImageItem {
  std::uint64_t key = 0;  // of the block, the same in each run
  std::uint64_t bytes = 0;
  std::string name{};
  std::uint64_t place = 0;  // in the file
  std::uint32_t checksum = 0;
  std::uint64_t writes = 0;  // tasks that had named it to write; 0 where it is not counted
};

// Which checkpoint the file is a part of.
struct ImageOf {
  std::uint64_t point = 0;
  std::uint64_t hash = 0;  // of the submission at that point
  std::uint32_t rank = 0, ranks = 1;
  std::uint32_t variables = 0;  // their checksum
};

class ImageWriter {
 public:
  // A new file, which has room for all items from here on. Over a network `next` may still be, for a while, the folder
  // that has a number by now, so a file that is there is left as it is. io_error, no_space: nothing is left of it.
  static base::Result<std::unique_ptr<ImageWriter>> create(const std::string& path, std::vector<ImageItem> items);
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  // The next bytes of an item, which begin at `offset` of it. Any thread, one for each item. finish() says what fails.
  void write(std::size_t item, std::uint64_t offset, std::span<const std::byte> bytes);
  // All items are written: the file is whole and on the device. io_error, no_space.
  base::Status finish(const ImageOf& of);

 private:
  ImageWriter(std::string path, std::vector<ImageItem> items);
  base::Status fail(int error) const;
  int write_direct(std::span<const std::byte> bytes, std::uint64_t place) const noexcept;

  const std::string path_;
  platform::Descriptor file_;
  platform::Descriptor direct_;  // past the page cache, which tasks have better uses for; closed: that cannot be
  std::vector<ImageItem> items_;
  std::uint64_t end_ = 0;      // of the last item
  std::atomic<int> error_{0};  // the first of a write
};

// The file is open while its head is read, and while who reads contents keeps it open: a run may go on from those of
// more ranks than a process may have files.
class ImageReader {
 public:
  // io_error, bad_input: it cannot be read, is no such file, or is damaged, as the message says.
  static base::Result<std::unique_ptr<ImageReader>> open(const std::string& path);
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  const ImageOf& of() const noexcept { return of_; }
  const std::vector<ImageItem>& items() const noexcept { return items_; }
  // Any thread. io_error: it is there no more, or the process has too many files.
  base::Result<platform::Descriptor> open_file() const;
  base::Status read(const platform::Descriptor& file, const ImageItem& item, std::uint64_t offset,
                    std::span<std::byte> to) const;
  // `sum`: of what was read of it.
  base::Status check(const ImageItem& item, std::uint32_t sum) const;

 private:
  explicit ImageReader(std::string path);
  base::Status read_index(int file);
  base::Status damaged(const std::string& what) const;

  const std::string path_;
  ImageOf of_;
  std::vector<ImageItem> items_;
};

}  // namespace weir::checkpoint
