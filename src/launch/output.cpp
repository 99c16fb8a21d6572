// SPDX-License-Identifier: Apache-2.0

#include "launch/output.hpp"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace weir::launch {

namespace {

constexpr std::size_t kRemembered = 512;  // bytes of a last line

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

bool is_regular(int file) {
  struct stat about {};
  return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

void Lines::put(std::string_view line, std::string& to) {
  to += label_;
  to += line;
  remember(line);
}

void Lines::remember(std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find_last_not_of('\n');
    if (end == std::string_view::npos) return;
    lines = lines.substr(0, end + 1);
    const std::size_t start = lines.rfind('\n') + 1;
    const std::string_view line = lines.substr(start, kRemembered);
    if (!is_blank(line)) {
      last_ = line;
      return;
    }
    lines = lines.substr(0, start);
  }
}

void Lines::add(std::string_view text, std::string& to) {
  const std::size_t whole = text.rfind('\n') + 1;  // 0: no line ends
  if (whole > 0 && label_.empty()) {
    put(begun_.append(text.substr(0, whole)), to);
    begun_.clear();
    text.remove_prefix(whole);
  }
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    put(begun_.append(text.substr(0, end + 1)), to);
    begun_.clear();
    text.remove_prefix(end + 1);
  }
  begun_ += text;
  if (begun_.size() > kLongest) finish(to);
}

void Lines::finish(std::string& to) {
  if (begun_.empty()) return;
  if (!label_.empty()) begun_ += '\n';
  put(begun_, to);
  begun_.clear();
}

Outlet::Outlet(int file) : file_(file), takes_pieces_(!is_regular(file)) {}

bool Outlet::is_writable() const {
  pollfd polled = {file_, POLLOUT, 0};
  return poll(&polled, 1, 0) > 0;
}

void Outlet::write_some() {
  std::size_t done = 0;
  do {
    const std::size_t left = waiting_.size() - done, most = takes_pieces_ ? std::min(kPiece, left) : left;
    const ssize_t written = is_broken_ ? static_cast<ssize_t>(left) : ::write(file_, waiting_.data() + done, most);
    if (written < 0 && errno != EINTR && errno != EAGAIN) is_broken_ = true;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
    last_written_ = waiting_[done - 1];
  } while (done < waiting_.size() && is_writable());
  waiting_.erase(0, is_broken_ ? waiting_.size() : done);
}

}  // namespace weir::launch
