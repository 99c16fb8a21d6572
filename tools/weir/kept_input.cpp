// SPDX-License-Identifier: Apache-2.0

#include "kept_input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "platform/file_io.hpp"
#include "platform/start_thread.hpp"

namespace weir::tool {

namespace {

using base::Code;
using base::Status;
using platform::Descriptor;

// Waits until `what` of `file` is possible, or its other end is gone. False: `stop` comes first.
bool is_ready(int file, short what, int stop) noexcept {
  std::array<pollfd, 2> files{{{file, what, 0}, {stop, POLLIN, 0}}};
  while (::poll(files.data(), files.size(), -1) < 0)
    if (errno != EINTR) return false;
  return files[1].revents == 0;
}

// False: the program is gone, or reads no more.
bool write_to(int to, const char* data, std::size_t size, int stop) noexcept {
  while (size > 0) {
    if (!is_ready(to, POLLOUT, stop)) return false;
    const ssize_t written = ::write(to, data, size);
    if (written < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (written <= 0) continue;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace

KeptInput::KeptInput(int input, std::uint64_t most) : input_(input), most_(most) {
  struct stat found {};
  if (::fstat(input, &found) != 0) return;
  if (::isatty(input) == 1) {
    kind_ = Kind::terminal;
  } else if (S_ISREG(found.st_mode) || S_ISBLK(found.st_mode)) {
    kind_ = Kind::file;
    begins_at_ = ::lseek(input, 0, SEEK_CUR);
  } else if (S_ISFIFO(found.st_mode) || S_ISSOCK(found.st_mode)) {
    kind_ = Kind::stream;
    kept_ = Descriptor(::memfd_create("weir input", MFD_CLOEXEC));  // not mapped: no memory of weir's own process
  }
}

KeptInput::Run::Run(KeptInput& input) : input_(input) {
  switch (input.kind_) {
    case Kind::as_it_is: break;
    case Kind::terminal: number_ = platform::Command::kNothing; break;
    case Kind::file: ::lseek(input.input_, input.begins_at_, SEEK_SET); break;
    case Kind::stream: status_ = feed_by_pipe(); break;
  }
}

KeptInput::Run::~Run() {
  stop_.close();
  if (feeder_.joinable()) feeder_.join();
}

Status KeptInput::Run::feed_by_pipe() {
  if (input_.is_too_long_)
    return {Code::no_space, fmt::format("standard input is a pipe, of which {} MiB are kept for further runs of a "
                                        "program, and more has come; put it in a file, and say < FILE",
                                        input_.most_ >> 20)};
  auto data = platform::Pipe::make();
  auto stop = platform::Pipe::make();
  if (!data || !stop) return {Code::no_space, "no descriptor is left for a program's standard input"};
  ::fcntl(data->write.number(), F_SETFL, O_NONBLOCK);
  number_ = data->read.number();
  read_end_ = std::move(data->read);
  stop_ = std::move(stop->write);
  const int to = data->write.number(), until = stop->read.number();
  auto thread =
      platform::try_start_thread("weir input", [this, to, until] { input_.feed(Descriptor(to), Descriptor(until)); });
  if (!thread) return thread.status();
  static_cast<void>(data->write.release());  // the thread closes both
  static_cast<void>(stop->read.release());
  feeder_ = std::move(*thread);
  return Status::success();
}

// The end of this closes the program's pipe: the end of its input.
void KeptInput::feed(Descriptor to, Descriptor stop) {
  std::array<char, 65536> buffer;
  for (off_t at = 0;;) {
    const std::size_t size = next(buffer.data(), buffer.size(), at, to.number(), stop.number());
    if (size == 0 || !write_to(to.number(), buffer.data(), size, stop.number())) return;
    at += static_cast<off_t>(size);
  }
}

// What comes `at` that place of the input, as soon as there is some; 0: nothing will, or the program has ended.
std::size_t KeptInput::next(char* buffer, std::size_t size, off_t at, int to, int stop) {
  const auto place = static_cast<std::uint64_t>(at);
  if (place < kept_bytes_) {
    const ssize_t kept = ::pread(kept_.number(), buffer, std::min<std::uint64_t>(size, kept_bytes_ - place), at);
    return kept > 0 ? static_cast<std::size_t>(kept) : 0;
  }
  while (!has_ended_) {
    if (!is_ready(to, POLLOUT, stop) || !is_ready(input_, POLLIN, stop)) return 0;
    const ssize_t got = ::read(input_, buffer, size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    has_ended_ = got <= 0;
    if (got > 0) {
      keep(buffer, static_cast<std::size_t>(got));
      return static_cast<std::size_t>(got);
    }
  }
  return 0;
}

void KeptInput::keep(const char* data, std::size_t size) noexcept {
  if (is_too_long_ || kept_bytes_ + size > most_ ||
      platform::write_all(kept_.number(), data, size, static_cast<off_t>(kept_bytes_)) != 0) {
    is_too_long_ = true;
    return;
  }
  kept_bytes_ += size;
}

}  // namespace weir::tool
