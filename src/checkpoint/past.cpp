// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/past.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "checkpoint/folder.hpp"
#include "checkpoint/pieces.hpp"
#include "platform/crc32c.hpp"

namespace weir::checkpoint {

namespace {

using base::Code;
using base::Result;
using base::Status;

std::uint32_t sum_with(std::span<const std::byte> bytes, std::uint32_t sum) noexcept {
  return platform::crc32c(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()), sum);
}

}  // namespace

Status OpenContents::read(std::span<std::byte> to) {
  Status status = Status::success();
  for_each_piece(to, [&](std::size_t, std::span<std::byte> piece) {
    if (!status) return;
    status = image_.read(file_, item_, at_, piece);
    at_ += piece.size();
    if (status) sum_ = sum_with(piece, sum_);
  });
  return status;
}

Result<OpenContents> Contents::open() const {
  Result<platform::Descriptor> file = file_->open_file();
  if (!file) return file.status();
  return OpenContents(*file_, *item_, std::move(*file));
}

Status Contents::read(std::uint64_t offset, std::span<std::byte> to, std::uint32_t& sum) const {
  const Result<platform::Descriptor> file = file_->open_file();
  if (!file) return file.status();
  Status status = file_->read(*file, *item_, offset, to);
  if (status) sum = sum_with(to, sum);
  return status;
}

Status Contents::read_all(std::span<std::byte> to) const {
  Result<OpenContents> contents = open();
  if (!contents) return contents.status();
  if (Status status = contents->read(to); !status) return status;
  return contents->check();
}

Result<std::unique_ptr<Past>> Past::open_record(const std::string& folder) {
  Result<std::string> whole = last_whole(folder);
  if (!whole) return whole.status();
  Result<Record> record = read_record(record_in(*whole));
  if (!record) return record.status();
  return std::unique_ptr<Past>(new Past(std::move(*whole), std::move(*record)));
}

Status Past::add_image(std::uint32_t rank) {
  Result<std::unique_ptr<ImageReader>> file = ImageReader::open(image_in(path_, rank));
  if (!file) return file.status();
  const ImageOf& of = (*file)->of();
  if (of.point != record_.at.point || of.hash != record_.at.hash || of.rank != rank)
    return {Code::bad_input,
            fmt::format("{}: it is a part of another checkpoint than {}", image_in(path_, rank), path_)};
  for (const ImageItem& item : (*file)->items()) items_.insert({item.key, {file->get(), &item}});
  files_.push_back(std::move(*file));
  return Status::success();
}

Result<std::unique_ptr<Past>> Past::open(const std::string& folder) {
  Result<std::unique_ptr<Past>> past = open_record(folder);
  for (std::uint32_t rank = 0; past && rank < (*past)->record_.ranks; ++rank)
    if (Status status = (*past)->add_image(rank); !status) return status;
  return past;
}

Result<std::vector<std::unique_ptr<Past>>> Past::open_each(const std::string& folder, const Reader& reader) {
  const Result<std::unique_ptr<Past>> whole = open_record(folder);
  if (!whole) return whole.status();
  const Record& record = (*whole)->record_;
  const bool is_alike = record.ranks == reader.ranks;
  const std::uint32_t first = is_alike ? reader.rank : 0, end = is_alike ? first + 1 : record.ranks;
  std::vector<std::unique_ptr<Past>> all;
  for (std::uint32_t rank = first; rank < end; ++rank) {
    all.emplace_back(new Past((*whole)->path_, record));
    if (Status status = all.back()->add_image(rank); !status) return status;
  }
  return all;
}

Result<Contents> Past::contents(std::uint64_t key, const std::string& name, std::uint64_t bytes) const {
  const auto found = items_.find(key);
  if (found == items_.end()) {
    return Status{
        Code::bad_input,
        fmt::format("{}: it has no block {:?} of {} bytes: this run has made other blocks before wait {} than "
                    "the one that wrote it",
                    path_, name, bytes, record_.at.point)};
  }
  const Place& place = found->second;
  if (place.item->name != name || place.item->bytes != bytes) {
    return Status{Code::bad_input, fmt::format("{}: it has block {:?} of {} bytes where this run has block {:?} of {} "
                                               "bytes: it is of another program, or of another size of its problem",
                                               path_, place.item->name, place.item->bytes, name, bytes)};
  }
  return Contents(*place.file, *place.item);
}

Result<Contents> Past::claim(std::uint64_t key, const std::string& name, std::uint64_t bytes) {
  Result<Contents> found = contents(key, name, bytes);
  if (found) items_.at(key).claimed = true;
  return found;
}

const ImageItem* Past::find(std::uint64_t key) const noexcept {
  const auto found = items_.find(key);
  return found == items_.end() ? nullptr : found->second.item;
}

Status Past::check_all_claimed() const {
  for (const auto& [key, place] : items_) {
    if (place.claimed) continue;
    return {Code::bad_input, fmt::format("{}: it has block {:?} of {} bytes, which this run does not have at wait {}",
                                         path_, place.item->name, place.item->bytes, record_.at.point)};
  }
  return Status::success();
}

}  // namespace weir::checkpoint
