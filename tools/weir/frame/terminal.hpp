// SPDX-License-Identifier: Apache-2.0

// What is known of the terminal, and the one line of progress on it. One thread at a time, but for clear_progress() and
// end_progress().
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weir::tool {

// COLUMNS, else the width of the terminal that standard output is, else 80; never less than 20.
int terminal_columns();

// The same where longer lines would be broken anywhere: COLUMNS is set, or standard output is a terminal; else no
// limit (0), as in a file.
int terminal_limit();

// How what matters in a text is set off on a terminal that shows colours; anywhere else it stays as it is.
class Style {
 public:
  explicit Style(bool on) : on_(on) {}
  std::string heading(std::string_view text) const { return within("\033[1m", text); }
  std::string number(std::string_view text) const { return within("\033[1m", text); }  // of many, the one to look at
  std::string bad(std::string_view text) const { return within("\033[1;31m", text); }
  std::string warning(std::string_view text) const { return within("\033[33m", text); }

 private:
  // Blanks and ends of lines around it are left out: with a background colour they would show.
  std::string within(std::string_view start, std::string_view text) const;

  bool on_;
};

// Of standard output or standard error: on when that is a terminal, NO_COLOR is unset or empty, and TERM is set and not
// "dumb".
Style terminal_style(int descriptor);

// True when there is a line of progress: standard error is a terminal, and this process the one in front.
bool shows_progress();

// How long that line may be: one less than COLUMNS, or than the terminal is wide, whichever is less.
std::size_t progress_columns();

// Replaces the line of progress on standard error, cut to its width; nothing when that is no terminal.
void show_progress(std::string_view text);

// Takes the line of progress away, if there is one. Async-signal-safe.
void clear_progress() noexcept;

// The same, and from now on there is none, whatever other threads do. Async-signal-safe.
void end_progress() noexcept;

}  // namespace weir::tool
