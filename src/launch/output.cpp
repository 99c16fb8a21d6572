// SPDX-License-Identifier: Apache-2.0

#include "launch/output.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace weir::launch {

namespace {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

bool is_regular(int file) {
  struct stat about {};
  return fstat(file, &about) == 0 && S_ISREG(about.st_mode);
}

}  // namespace

void Lines::put(std::string_view line, std::string& to) {
  to += label_;
  to += line;
  if (!is_blank(line)) last_ = line.substr(0, std::min(line.find('\n'), std::size_t{512}));
}

void Lines::add(std::string_view text, std::string& to) {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    begun_ += text.substr(0, end + 1);
    put(begun_, to);
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

void Outlet::write_some() {
  const std::size_t most = takes_pieces_ ? std::min(kPiece, waiting_.size()) : waiting_.size();
  const ssize_t written = is_broken_ ? static_cast<ssize_t>(most) : ::write(file_, waiting_.data(), most);
  if (written > 0) {
    last_written_ = waiting_[static_cast<std::size_t>(written) - 1];
    waiting_.erase(0, static_cast<std::size_t>(written));
  } else if (written < 0 && errno != EINTR && errno != EAGAIN) {
    is_broken_ = true;
    waiting_.clear();
  }
}

}  // namespace weir::launch
