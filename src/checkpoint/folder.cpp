// SPDX-License-Identifier: Apache-2.0

#include "checkpoint/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/byte_lock.hpp"
#include "platform/file_io.hpp"

namespace weir::checkpoint {

namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

constexpr std::string_view kWhole = "checkpoint.";

std::string next_of(const std::string& path) { return path + "/next"; }
std::string whole_of(const std::string& path, std::uint64_t number) {
  return fmt::format("{}/{}{}", path, kWhole, number);
}

// Names in a folder are on the device.
int sync_folder(const std::string& path) noexcept {
  const platform::Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.is_open() ? platform::sync(folder.number()) : errno;
}

// Numbers of the whole ones, the last one first. `error`: the folder cannot be read.
std::vector<std::uint64_t> whole_in(const std::string& path, std::error_code& error) {
  std::vector<std::uint64_t> numbers;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::uint64_t number = 0;
    const char* const last = name.data() + name.size();
    if (!name.starts_with(kWhole)) continue;
    const auto [stop, bad] = std::from_chars(name.data() + kWhole.size(), last, number);
    if (bad == std::errc() && stop == last) numbers.push_back(number);
  }
  std::sort(numbers.rbegin(), numbers.rend());
  return numbers;
}

// One that stays takes room, and goes the next time.
void remove_all_but_last(const std::string& path) {
  std::error_code ignored;
  const std::vector<std::uint64_t> numbers = whole_in(path, ignored);
  for (std::size_t i = 1; i < numbers.size(); ++i) fs::remove_all(whole_of(path, numbers[i]), ignored);
}

Status refuse(const std::string& path, const std::string& why) {
  return {Code::bad_option, fmt::format("checkpoint={}: {}", path, why)};
}

}  // namespace

std::string image_in(const std::string& folder, std::uint32_t rank) { return fmt::format("{}/image.{}", folder, rank); }
std::string record_in(const std::string& folder) { return folder + "/whole"; }
std::string next_image(const std::string& path, std::uint32_t rank) { return image_in(next_of(path), rank); }

Folder::Folder(std::string path, platform::Descriptor lock, std::uint64_t last) noexcept
    : path_(std::move(path)), lock_(std::move(lock)), last_(last) {}

Result<Folder> Folder::open(const std::string& path) {
  std::error_code error;
  fs::create_directory(path, error);
  if (error) return refuse(path, fmt::format("the folder cannot be made: {}", error.message()));
  const std::string name = path + "/lock";
  platform::Descriptor lock(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock.is_open()) return refuse(path, fmt::format("no file can be made there: {}", std::strerror(errno)));
  struct flock whole = platform::byte_lock(0);
  // Of the open file, not of the process: two runtimes of one process are two, as well.
  if (::fcntl(lock.number(), F_OFD_SETLK, &whole) != 0) {
    return refuse(path,
                  errno == EAGAIN || errno == EACCES
                      ? "another run writes its checkpoints there: give each a folder of its own, or wait for its end"
                      : fmt::format("it cannot be locked: {}", std::strerror(errno)));
  }
  const std::vector<std::uint64_t> numbers = whole_in(path, error);
  if (error) return refuse(path, fmt::format("the folder cannot be read: {}", error.message()));
  return Folder(path, std::move(lock), numbers.empty() ? 0 : numbers.front());
}

// Of runs that ended between the rename and the removal one after the other, each would leave one more.
Status Folder::begin() {
  remove_all_but_last(path_);
  std::error_code error;
  fs::remove_all(next_of(path_), error);
  if (!error) fs::create_directory(next_of(path_), error);
  return error ? platform::io_error(next_of(path_), error.value()) : Status::success();
}

Status Folder::publish(const Record& record) {
  const std::string next = next_of(path_);
  if (Status status = write_record(record_in(next), record); !status) return status;
  if (const int error = sync_folder(next); error != 0) return platform::io_error(next, error);
  const std::string whole = whole_of(path_, ++last_);
  if (::rename(next.c_str(), whole.c_str()) != 0) return platform::io_error(whole, errno);
  if (const int error = sync_folder(path_); error != 0) return platform::io_error(path_, error);
  remove_all_but_last(path_);
  return Status::success();
}

void Folder::discard() noexcept {
  std::error_code ignored;
  fs::remove_all(next_of(path_), ignored);
}

Result<std::string> last_whole(const std::string& path) {
  std::error_code error;
  const std::vector<std::uint64_t> numbers = whole_in(path, error);
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory)
    return Status{Code::not_found, fmt::format("restart={}: there is no such folder", path)};
  if (error)
    return Status{Code::io_error, fmt::format("restart={}: the folder cannot be read: {}", path, error.message())};
  if (!numbers.empty()) return whole_of(path, numbers.front());
  return Status{Code::not_found,
                fmt::format("restart={}: there is no whole checkpoint{}: start without it", path,
                            fs::exists(next_of(path), error) ? ", only one that was being written" : "")};
}

}  // namespace weir::checkpoint
