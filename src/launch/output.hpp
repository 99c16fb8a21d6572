// SPDX-License-Identifier: Apache-2.0

// What ranks print on its way to where it goes: whole lines, each with its rank on request. The launcher's thread only.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::launch {

// One stream of one rank.
class Lines {
 public:
  explicit Lines(std::string label) : label_(std::move(label)) {}

  // Puts the lines that are whole now at the end of `to`, with the label before each. A line that has grown past
  // kLongest goes on in pieces.
  void add(std::string_view text, std::string& to);
  // What is no whole line: without a label as it is, with one as a line.
  void finish(std::string& to);
  bool has_begun() const noexcept { return !begun_.empty(); }
  // The last line that was not blank, or what it has begun with.
  const std::string& last() const noexcept { return last_; }

  static constexpr std::size_t kLongest = 16 << 20;

 private:
  void put(std::string_view line, std::string& to);
  void remember(std::string_view lines);

  std::string label_, begun_, last_;
};

// A file that is written to without waiting. What cannot be written now stays.
class Outlet {
 public:
  explicit Outlet(int file);

  std::string& waiting() noexcept { return waiting_; }
  int file() const noexcept { return file_; }
  bool is_at_line_start() const noexcept { return waiting_.empty() ? last_written_ == '\n' : waiting_.back() == '\n'; }
  bool has_more() const noexcept { return !waiting_.empty(); }
  bool is_full() const noexcept { return waiting_.size() > kMuch; }
  // After poll() has said that it is writable: as much as goes without waiting.
  void write_some();
  // It cannot be written to: what was to be printed is lost, then and later.
  bool is_broken() const noexcept { return is_broken_; }

 private:
  static constexpr std::size_t kMuch = 262144, kPiece = 4096;  // PIPE_BUF: a pipe that is writable takes as many bytes

  bool is_writable() const;

  int file_;
  bool takes_pieces_;
  bool is_broken_ = false;
  char last_written_ = '\n';
  std::string waiting_;
};

}  // namespace weir::launch
