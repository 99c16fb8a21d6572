#include "terminal.hpp"

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

bool terminal_colours() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr && terminal != nullptr &&
         std::strcmp(terminal, "dumb") != 0;
}

void show_progress(std::string_view text) {
  if (isatty(STDERR_FILENO) != 1) return;
  const int columns = std::max(columns_of(STDERR_FILENO), kLeast);
  const std::string line = std::string(kClearLine).append(text.substr(0, static_cast<std::size_t>(columns) - 1));
  progress_is_shown = true;
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void clear_progress() noexcept {
  if (!progress_is_shown.exchange(false)) return;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kClearLine.data(), kClearLine.size());
}

}  // namespace weir::tool
