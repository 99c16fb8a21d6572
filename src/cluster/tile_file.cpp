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

TileFile::TileFile(std::string path, std::size_t bytes, bool is_written) : path_(std::move(path)) {
  const char* const what = is_written ? "written" : "read";
  file_ = platform::Descriptor(is_written ? ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666)
                                          : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file_.is_open()) fail(what, std::strerror(errno));
  if (is_written) {  // by every rank alike, to the same length
    if (::ftruncate(file_.number(), static_cast<off_t>(bytes)) != 0) fail(what, std::strerror(errno));
    return;
  }
  struct stat found;
  if (::fstat(file_.number(), &found) != 0) fail(what, std::strerror(errno));
  if (static_cast<std::size_t>(found.st_size) != bytes)
    fail(what, fmt::format("it has {} bytes, and the tiles have {}", found.st_size, bytes));
}

void TileFile::fail(const char* what, const std::string& why) const {
  throw Error(fmt::format("{}: tiles cannot be {}: {}", path_, what, why));
}

void TileFile::read(void* to, std::size_t bytes, std::size_t offset) {
  for (auto* at = static_cast<std::byte*>(to); bytes > 0;) {
    const ssize_t done = ::pread(file_.number(), at, bytes, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail("read", std::strerror(errno));
    if (done == 0) fail("read", fmt::format("it ends at byte {}: it was made shorter while it was read", offset));
    at += done;
    offset += static_cast<std::size_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
}

void TileFile::write(const void* from, std::size_t bytes, std::size_t offset) {
  const int error =
      platform::write_all(file_.number(), static_cast<const char*>(from), bytes, static_cast<off_t>(offset));
  if (error != 0) fail("written", std::strerror(error));
}

std::shared_ptr<TileFile> open_tile_file(const std::string& path, std::size_t bytes, bool is_written) {
  return std::make_shared<TileFile>(path, bytes, is_written);
}
void read_tile_file(TileFile& file, void* to, std::size_t bytes, std::size_t offset) { file.read(to, bytes, offset); }
void write_tile_file(TileFile& file, const void* from, std::size_t bytes, std::size_t offset) {
  file.write(from, bytes, offset);
}

}  // namespace weir::detail
