// SPDX-License-Identifier: Apache-2.0

#include "terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace weir::tool {

namespace {

constexpr int kLeast = 20;
constexpr std::string_view kClearLine = "\r\033[K";

// Set by show_progress(), read by the signal handler as well; relaxed: it only decides whether a line is cleared.
std::atomic<bool> progress_is_shown = false;
std::atomic<bool> progress_has_ended = false;

int columns_of(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

int terminal_columns() {
  int columns = 0;
  if (const char* text = std::getenv("COLUMNS")) std::from_chars(text, text + std::strlen(text), columns);
  if (columns <= 0) columns = columns_of(STDOUT_FILENO);
  return columns <= 0 ? 80 : std::max(columns, kLeast);
}

int terminal_limit() {
  return std::getenv("COLUMNS") != nullptr || isatty(STDOUT_FILENO) == 1 ? terminal_columns() : 0;
}

std::string Style::within(std::string_view start, std::string_view text) const {
  constexpr std::string_view kBlank = " \n", kEnd = "\033[0m";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (!on_ || first == std::string_view::npos) return std::string(text);
  const std::size_t behind = text.find_last_not_of(kBlank) + 1;
  return std::string(text.substr(0, first))
      .append(start)
      .append(text.substr(first, behind - first))
      .append(kEnd)
      .append(text.substr(behind));
}

Style terminal_style(int descriptor) {
  const char* const terminal = std::getenv("TERM");
  const char* const off = std::getenv("NO_COLOR");
  return Style(isatty(descriptor) == 1 && (off == nullptr || *off == '\0') && terminal != nullptr &&
               std::strcmp(terminal, "dumb") != 0);
}

// Of a job in the background the terminal belongs to another: what it shows would be in the way there.
bool shows_progress() {
  if (isatty(STDERR_FILENO) != 1) return false;
  const pid_t front = tcgetpgrp(STDERR_FILENO);
  return front < 0 || front == getpgrp();
}

std::size_t progress_columns() {
  int columns = 0;
  if (const char* text = std::getenv("COLUMNS")) std::from_chars(text, text + std::strlen(text), columns);
  const int wide = columns_of(STDERR_FILENO);
  if (columns <= 0 || (wide > 0 && wide < columns)) columns = wide;
  return columns <= 0 ? 79 : static_cast<std::size_t>(std::max(columns - 1, 1));
}

// In one piece, and what is left of the last one cleared behind it: nothing flickers.
void show_progress(std::string_view text) {
  if (progress_has_ended || !shows_progress()) return;
  const std::string line = std::string("\r").append(text.substr(0, progress_columns())).append("\033[K");
  progress_is_shown = true;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
}

void clear_progress() noexcept {
  if (!progress_is_shown.exchange(false)) return;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kClearLine.data(), kClearLine.size());
}

// Another thread may have been past its look at the flag: what it still draws is cleared a moment later.
void end_progress() noexcept {
  progress_has_ended = true;
  if (!progress_is_shown) return;
  clear_progress();
  poll(nullptr, 0, 5);
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kClearLine.data(), kClearLine.size());
}

}  // namespace weir::tool
