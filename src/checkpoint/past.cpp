// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/past.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "checkpoint/folder.hpp"
#include "platform/crc32c.hpp"

namespace weir::checkpoint {

namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr std::size_t kPiece = std::size_t{4} << 20;  // is in a cache when its checksum is made

}  // namespace

Status Contents::read(std::uint64_t offset, std::span<std::byte> to, std::uint32_t& sum) const {
  if (Status status = file_->read(*item_, offset, to); !status) return status;
  sum = platform::crc32c(std::string_view(reinterpret_cast<const char*>(to.data()), to.size()), sum);
  return Status::success();
}

Status Contents::read_all(std::span<std::byte> to) const {
  std::uint32_t sum = 0;
  for (std::size_t at = 0; at < to.size(); at += kPiece) {
    if (Status status = read(at, to.subspan(at, std::min(kPiece, to.size() - at)), sum); !status) return status;
  }
  return check(sum);
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
