// SPDX-License-Identifier: Apache-2.0

#include "status_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "terminal.hpp"

namespace weir::tool {

namespace {

constexpr int kFewestRows = 4;

// The row that is taken, counted from 1; 0: none. Written by show_status_line(), read by signal handlers as well;
// relaxed: it only decides whether the row is given back.
std::atomic<int> taken_row = 0;

int rows() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_row : 0;
}

bool understands() {
  const char* terminal = std::getenv("TERM");
  return shows_progress() && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

// In one piece: what the program writes meanwhile comes before it or after it.
void send(std::string_view text) noexcept {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
}

// ESC D, ESC M: a row down and up again, which scrolls when the cursor is in the last row and leaves its column. ESC 7,
// ESC 8: the cursor's place, which setting the region would lose.
std::string take(int row) { return fmt::format("\033D\033M\0337\033[1;{}r\0338", row - 1); }

}  // namespace

void show_status_line(std::string_view text) {
  const int row = understands() ? rows() : 0;
  if (text.empty() || row < kFewestRows) return end_status_line();
  std::string line;
  if (taken_row != row) {
    end_status_line();  // the terminal has another size now
    line = take(row);
    taken_row = row;
  }
  send(line + fmt::format("\0337\033[{};1H{}\033[K\0338", row, text.substr(0, progress_columns())));
}

// No formatting here: a signal may have come at any place.
void end_status_line() noexcept {
  const int row = taken_row.exchange(0);
  if (row == 0) return;
  char text[48] = "\0337\033[r\033[";
  std::size_t at = std::strlen(text);
  for (int digits = 10000; digits > 0; digits /= 10) {
    if (row >= digits) text[at++] = static_cast<char>('0' + row / digits % 10);
  }
  for (const char c : {';', '1', 'H', '\033', '[', 'K', '\033', '8'}) text[at++] = c;
  send({text, at});
}

}  // namespace weir::tool
