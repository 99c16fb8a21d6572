// SPDX-License-Identifier: Apache-2.0

// Text wrapped to a width, and numbers as text. Pure. One column a character (ASCII).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace weir::tool {

// The words of `text` in lines of at most `width` columns (a longer word has a line of its own).
std::vector<std::string> wrap(std::string_view text, int width);

// The paragraphs of `text`: between empty lines, line ends inside one being spaces. Neighbouring lines that start
// with two spaces are a paragraph that is kept as it is, line ends included.
std::vector<std::string> paragraphs(std::string_view text);

// The same text with every line of more than `width` columns broken at spaces, what follows being indented by two
// columns more than the line. Width 0: as it is.
std::string fold(std::string_view text, int width);

// At most `width` columns of it: of a longer name the beginning and, more of it, the end, with ".." between them.
std::string shortened(std::string_view name, std::size_t width);

// Rising numbers, those that follow each other as a range: "0-3,8" of 0 1 2 3 8, separated by ",".
std::string ranges(const std::vector<int>& rising, std::string_view separator);

// Between single quotes, for any shell.
std::string in_quotes(std::string_view text);
// As a word of a shell's command line: between quotes where anything in it has a meaning there.
std::string shell_word(std::string_view text);

// In capitals, ASCII.
std::string capitals(std::string_view text);

inline bool is_verbatim(std::string_view paragraph) { return paragraph.starts_with("  "); }

}  // namespace weir::tool
