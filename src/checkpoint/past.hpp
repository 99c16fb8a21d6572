// SPDX-License-Identifier: Apache-2.0

// Past: the checkpoint that a run goes on from, with the files of all ranks that have written it.
//
// Its files are opened when something is read there, and so have to stay. open() and claim(): one thread; Contents:
// any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/image_file.hpp"
#include "checkpoint/record.hpp"
#include "platform/process.hpp"

namespace weir::checkpoint {

// Of one block, as they were, while its file is open: from its first byte on, one part after the other. One thread.
class OpenContents {
 public:
  OpenContents(const ImageReader& image, const ImageItem& item, platform::Descriptor file) noexcept
      : image_(image), item_(item), file_(std::move(file)) {}
  // The next bytes. io_error; bad_input: damaged, with the file and the block.
  base::Status read(std::span<std::byte> to);
  // Of all that was read.
  base::Status check() const { return image_.check(item_, sum_); }

 private:
  const ImageReader& image_;
  const ImageItem& item_;
  platform::Descriptor file_;
  std::uint64_t at_ = 0;
  std::uint32_t sum_ = 0;
};

// Of one block, as they were.
class Contents {
 public:
  Contents(const ImageReader& file, const ImageItem& item) noexcept : file_(&file), item_(&item) {}
  // io_error.
  base::Result<OpenContents> open() const;
  // Opens the file for this once. io_error; bad_input: damaged, with the file and the block.
  base::Status read(std::uint64_t offset, std::span<std::byte> to, std::uint32_t& sum) const;
  base::Status check(std::uint32_t sum) const { return file_->check(*item_, sum); }
  // The whole, in one piece.
  base::Status read_all(std::span<std::byte> to) const;

 private:
  const ImageReader* file_;
  const ImageItem* item_;
};

class Past {
 public:
  // The last whole one in `folder`. not_found, io_error, bad_input.
  static base::Result<std::unique_ptr<Past>> open(const std::string& folder);
  // The same, each rank's file by itself: where as many have written it, that of the one rank alone, else all, in the
  // order of ranks.
  struct Reader {
    std::uint32_t rank = 0, ranks = 1;
  };
  static base::Result<std::vector<std::unique_ptr<Past>>> open_each(const std::string& folder, const Reader& reader);

  const Record& record() const noexcept { return record_; }
  const std::string& path() const noexcept { return path_; }
  // Which rank has written it, of one that has one rank's file.
  std::uint32_t writer() const noexcept { return files_.front()->of().rank; }
  // Of the block with that key. bad_input: there is none, or it has another name or length.
  base::Result<Contents> contents(std::uint64_t key, const std::string& name, std::uint64_t bytes) const;
  // The same, of a block that this run has as well; once.
  base::Result<Contents> claim(std::uint64_t key, const std::string& name, std::uint64_t bytes);
  // Which rank has written the block with that key, which there is.
  std::uint32_t writer_of(std::uint64_t key) const { return items_.at(key).file->of().rank; }
  // What is there under that key; null: nothing.
  const ImageItem* find(std::uint64_t key) const noexcept;
  // bad_input: blocks are left that nobody has claimed.
  base::Status check_all_claimed() const;

 private:
  struct Place {
    const ImageReader* file;
    const ImageItem* item;
    bool claimed = false;
  };

  Past(std::string path, Record record) : path_(std::move(path)), record_(std::move(record)) {}
  static base::Result<std::unique_ptr<Past>> open_record(const std::string& folder);
  base::Status add_image(std::uint32_t rank);

  std::string path_;
  Record record_;
  std::vector<std::unique_ptr<ImageReader>> files_;
  std::unordered_map<std::uint64_t, Place> items_;
};

}  // namespace weir::checkpoint
