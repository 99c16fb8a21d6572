// What is known of the terminal, and the one line of progress on it. One thread, but for clear_progress().
#pragma once

#include <string_view>

namespace weir::tool {

// COLUMNS, else the width of the terminal that standard output is, else 80; never less than 20.
int terminal_columns();

// The same where longer lines would be broken anywhere: COLUMNS is set, or standard output is a terminal; else no
// limit (0), as in a file.
int terminal_limit();

// True when standard output is a terminal that shows colours: NO_COLOR is unset, TERM is set and not "dumb".
bool terminal_colours();

// Replaces the line of progress on standard error, cut to its width; nothing when that is no terminal.
void show_progress(std::string_view text);

// Takes the line of progress away, if there is one. Async-signal-safe.
void clear_progress() noexcept;

}  // namespace weir::tool
