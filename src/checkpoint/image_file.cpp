// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/image_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "checkpoint/bytes.hpp"
#include "platform/crc32c.hpp"
#include "platform/file_io.hpp"

namespace weir::checkpoint {

namespace {

using base::Code;
using base::Result;
using base::Status;

constexpr std::uint64_t kAlignment = 4096;
constexpr char kMagic[8] = {'W', 'E', 'I', 'R', 'C', 'K', 'P', '2'};

struct Head {
  char magic[8];
  ImageOf of;
  std::uint64_t index_place, index_bytes;
  std::uint32_t index_checksum;
  std::uint32_t checksum;  // of what is before it
};
static_assert(sizeof(Head) <= kAlignment);

std::uint32_t checksum_of(const Head& head) {
  return platform::crc32c(bytes_of(head).substr(0, offsetof(Head, checksum)));
}

std::uint64_t aligned(std::uint64_t place) { return (place + kAlignment - 1) / kAlignment * kAlignment; }

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// ---- Writing ----

ImageWriter::ImageWriter(std::string path, std::vector<ImageItem> items)
    : path_(std::move(path)), items_(std::move(items)), end_(kAlignment) {
  for (ImageItem& item : items_) {
    item.place = end_;
    end_ = aligned(end_ + item.bytes);
  }
}

Status ImageWriter::fail(int error) const {
  const Status status = platform::io_error(path_, error);
  return {error == ENOSPC || error == EDQUOT ? Code::no_space : status.code, status.message};
}

Result<std::unique_ptr<ImageWriter>> ImageWriter::create(const std::string& path, std::vector<ImageItem> items) {
  std::unique_ptr<ImageWriter> writer(new ImageWriter(path, std::move(items)));
  writer->file_ = platform::Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!writer->file_.is_open()) return writer->fail(errno);
  writer->direct_ = platform::Descriptor(::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
  // A file system that cannot promise room says so when it is full.
  const int error = platform::reserve_space(writer->file_.number(), 0, writer->end_);
  if (error == 0 || error == EOPNOTSUPP || error == ENOSYS) return writer;
  ::unlink(path.c_str());
  const Status status = writer->fail(error);
  return Status{status.code, fmt::format("{} ({} bytes)", status.message, writer->end_)};
}

// The last bytes of an item are written with zeros behind them, up to where the next one begins. 0, or an errno;
// EINVAL: not from this memory, or to this place.
int ImageWriter::write_direct(std::span<const std::byte> bytes, std::uint64_t place) const noexcept {
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kAlignment == 0) {
    const std::size_t whole = bytes.size() / kAlignment * kAlignment;
    const int error = platform::write_all(direct_.number(), text_of(bytes).data(), whole, static_cast<off_t>(place));
    if (error != 0) return error;
    bytes = bytes.subspan(whole);
    place += whole;
  }
  if (bytes.empty()) return 0;
  const std::size_t padded = aligned(bytes.size());
  const std::unique_ptr<void, void (*)(void*)> copy(std::aligned_alloc(kAlignment, padded), std::free);
  if (copy == nullptr) return ENOMEM;
  char* const to = static_cast<char*>(copy.get());
  std::memcpy(to, bytes.data(), bytes.size());
  std::memset(to + bytes.size(), 0, padded - bytes.size());
  return platform::write_all(direct_.number(), to, padded, static_cast<off_t>(place));
}

void ImageWriter::write(std::size_t item, std::uint64_t offset, std::span<const std::byte> bytes) {
  ImageItem& to = items_[item];
  to.checksum = platform::crc32c(text_of(bytes), to.checksum);
  const std::uint64_t place = to.place + offset;
  const bool is_last = offset + bytes.size() == to.bytes;
  const bool fits = place % kAlignment == 0 && (is_last || bytes.size() % kAlignment == 0);
  int error = direct_.is_open() && fits ? write_direct(bytes, place) : EINVAL;
  if (error == EINVAL || error == ENOMEM)
    error = platform::write_all(file_.number(), text_of(bytes).data(), bytes.size(), static_cast<off_t>(place));
  int none = 0;
  if (error != 0) error_.compare_exchange_strong(none, error);
}

Status ImageWriter::finish(const ImageOf& of) {
  if (const int error = error_.load(); error != 0) return fail(error);
  Encoder index;
  index << std::uint64_t{items_.size()};
  for (const ImageItem& item : items_)
    index << item.key << item.bytes << item.writes << item.place << item.checksum << std::string_view(item.name);
  Head head{};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.of = of;
  head.index_place = end_;
  head.index_bytes = index.text().size();
  head.index_checksum = platform::crc32c(index.text());
  head.checksum = checksum_of(head);
  int error = platform::write_all(file_.number(), index.text().data(), index.text().size(), static_cast<off_t>(end_));
  if (error == 0) error = platform::sync_contents(file_.number());
  if (error == 0) error = platform::write_all(file_.number(), bytes_of(head).data(), sizeof head, 0);
  if (error == 0) error = platform::sync(file_.number());
  return error == 0 ? Status::success() : fail(error);
}

// ---- Reading ----

ImageReader::ImageReader(std::string path) : path_(std::move(path)) {}

Status ImageReader::damaged(const std::string& what) const {
  return {Code::bad_input, fmt::format("{}: {}: this part of the checkpoint is damaged", path_, what)};
}

Result<std::unique_ptr<ImageReader>> ImageReader::open(const std::string& path) {
  std::unique_ptr<ImageReader> reader(new ImageReader(path));
  const Result<platform::Descriptor> file = reader->open_file();
  if (!file) return file.status();
  if (Status status = reader->read_index(file->number()); !status) return status;
  return reader;
}

Result<platform::Descriptor> ImageReader::open_file() const {
  platform::Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.is_open()) return file;
  return Status{Code::io_error, fmt::format("{}: cannot be read: {}", path_, std::strerror(errno))};
}

Status ImageReader::read_index(int file) {
  Head head{};
  struct stat found {};
  if (::fstat(file, &found) != 0 || platform::read_all(file, &head, sizeof head, 0) != 0)
    return damaged("it has no head");
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0) return damaged("it does not begin as one");
  if (head.checksum != checksum_of(head)) return damaged("the checksum of its head does not fit");
  of_ = head.of;
  const auto bytes = static_cast<std::uint64_t>(found.st_size);
  if (head.index_place > bytes || head.index_bytes > bytes - head.index_place)
    return damaged(
        fmt::format("it has {} bytes, and its index ends at {}", bytes, head.index_place + head.index_bytes));
  std::string index(head.index_bytes, '\0');
  if (platform::read_all(file, index.data(), index.size(), head.index_place) != 0)
    return damaged("its index cannot be read");
  if (platform::crc32c(index) != head.index_checksum) return damaged("the checksum of its index does not fit");
  Decoder from(index);
  std::uint64_t count = 0;
  from >> count;
  for (std::uint64_t i = 0; i < count && from.good(); ++i) {
    ImageItem item;
    from >> item.key >> item.bytes >> item.writes >> item.place >> item.checksum >> item.name;
    items_.push_back(std::move(item));
  }
  return from.good() && from.at_end() ? Status::success() : damaged("its index is cut");
}

Status ImageReader::read(const platform::Descriptor& file, const ImageItem& item, std::uint64_t offset,
                         std::span<std::byte> to) const {
  const int error = platform::read_all(file.number(), to.data(), to.size(), item.place + offset);
  if (error == platform::kEndOfFile) return damaged(fmt::format("it ends within block {:?}", item.name));
  if (error == 0) return Status::success();
  return {Code::io_error, fmt::format("{}: block {:?} cannot be read: {}", path_, item.name, std::strerror(error))};
}

Status ImageReader::check(const ImageItem& item, std::uint32_t sum) const {
  if (sum == item.checksum) return Status::success();
  return damaged(
      fmt::format("the checksum of block {:?}, {} bytes at {}, does not fit", item.name, item.bytes, item.place));
}

}  // namespace weir::checkpoint
