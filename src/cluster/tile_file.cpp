// SPDX-License-Identifier: Apache-2.0

#include "cluster/tile_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "platform/file_io.hpp"
#include "weir/detail/ranked.hpp"
#include "weir/error.hpp"

namespace weir::detail {

TileFile::TileFile(std::string path, const TileFileUse& use)
    : path_(std::move(path)), is_written_(use.is_written), tiles_left_(use.tiles), why_closed_(open(use.bytes)) {}

// Why it cannot be used; empty: it can.
std::string TileFile::open(std::size_t bytes) {
  static constexpr const char* kNoFile = "it is a pipe or a device, and not a regular file";
  constexpr int kFlags = O_CLOEXEC | O_NONBLOCK;  // who opens a pipe does not wait for its other end
  file_ = platform::Descriptor(is_written_ ? ::open(path_.c_str(), O_WRONLY | O_CREAT | kFlags, 0666)
                                           : ::open(path_.c_str(), O_RDONLY | kFlags));
  if (!file_.is_open()) return errno == ENXIO ? kNoFile : std::strerror(errno);
  struct stat found;
  if (::fstat(file_.number(), &found) != 0) return std::strerror(errno);
  if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) return kNoFile;
  if (is_written_)  // by every rank alike, to the same length
    return ::ftruncate(file_.number(), static_cast<off_t>(bytes)) == 0 ? "" : std::strerror(errno);
  if (static_cast<std::size_t>(found.st_size) == bytes) return "";
  return fmt::format("it has {} bytes, and the tiles have {}", found.st_size, bytes);
}

void TileFile::fail(const std::string& why) const {
  throw Error(fmt::format("{}: tiles cannot be {}: {}", path_, is_written_ ? "written" : "read", why));
}

void TileFile::read(void* to, std::size_t bytes, std::size_t offset) {
  if (!why_closed_.empty()) fail(why_closed_);
  const int error = platform::read_all(file_.number(), to, bytes, offset);
  if (error == platform::kEndOfFile)
    fail(fmt::format("it ends before byte {}: it was made shorter while it was read", offset + bytes));
  if (error != 0) fail(std::strerror(error));
}

void TileFile::write(const void* from, std::size_t bytes, std::size_t offset) {
  if (!why_closed_.empty()) fail(why_closed_);
  const int error =
      platform::write_all(file_.number(), static_cast<const char*>(from), bytes, static_cast<off_t>(offset));
  if (error != 0) fail(std::strerror(error));
}

void TileFile::end_tile() {
  if (!is_written_ || tiles_left_.fetch_sub(1) != 1) return;
  if (const int error = platform::sync(file_.number()); error != 0) fail(std::strerror(error));
}

std::shared_ptr<TileFile> open_tile_file(const std::string& path, const TileFileUse& use) {
  return std::make_shared<TileFile>(path, use);
}
void read_tile_file(TileFile& file, void* to, std::size_t bytes, std::size_t offset) { file.read(to, bytes, offset); }
void write_tile_file(TileFile& file, const void* from, std::size_t bytes, std::size_t offset) {
  file.write(from, bytes, offset);
}
void end_tile(TileFile& file) { file.end_tile(); }

}  // namespace weir::detail
