// SPDX-License-Identifier: Apache-2.0

#include "text.hpp"

#include <algorithm>
#include <sstream>

namespace weir::tool {

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const bool fits = !lines.empty() && lines.back().size() + 1 + word.size() <= static_cast<std::size_t>(width);
    if (fits) {
      lines.back() += " " + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

std::vector<std::string> paragraphs(std::string_view text) {
  std::vector<std::string> result;
  std::istringstream lines{std::string(text)};
  bool open = false;  // the last paragraph takes more lines
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      open = false;
      continue;
    }
    if (open && is_verbatim(line) == is_verbatim(result.back())) {
      result.back() += (is_verbatim(line) ? "\n" : " ") + line;
    } else {
      result.push_back(line);
    }
    open = true;
  }
  return result;
}

namespace {

// Where so many columns of a line end. Codes for colours take none.
std::size_t end_of_columns(std::string_view line, std::size_t columns) {
  std::size_t at = 0;
  for (; at < line.size(); ++at) {
    if (line[at] == '\033') {
      at = std::min(line.find('m', at), line.size() - 1);
    } else if (columns-- == 0) {
      break;
    }
  }
  return at;
}

}  // namespace

std::string fold(std::string_view text, int width) {
  std::string result;
  const std::size_t columns = static_cast<std::size_t>(width);
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const bool ends = length < text.size();
    std::string line(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
    const std::string indent(std::min(line.find_first_not_of(' '), line.size()) + 2, ' ');
    while (width > 0) {
      const std::size_t most = end_of_columns(line, columns);
      if (most == line.size()) break;
      const std::size_t space = line.rfind(' ', most);
      const std::size_t next = space == std::string::npos ? space : line.find_first_not_of(' ', space);
      if (next == std::string::npos || space < indent.size()) break;
      result += line.substr(0, line.find_last_not_of(' ', space) + 1) + "\n";
      line.replace(0, next, indent);
    }
    result += line + (ends ? "\n" : "");
  }
  return result;
}

std::string shortened(std::string_view name, std::size_t width) {
  constexpr std::string_view kCut = "..";
  if (name.size() <= width) return std::string(name);
  if (width <= kCut.size()) return std::string(name.substr(name.size() - width));
  const std::size_t kept = width - kCut.size(), begin = kept / 4;
  return std::string(name.substr(0, begin)).append(kCut).append(name.substr(name.size() - (kept - begin)));
}

std::string ranges(const std::vector<int>& rising, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < rising.size();) {
    std::size_t last = i;
    while (last + 1 < rising.size() && rising[last + 1] == rising[last] + 1) ++last;
    if (!text.empty()) text += separator;
    text += std::to_string(rising[i]);
    if (last > i) text += "-" + std::to_string(rising[last]);
    i = last + 1;
  }
  return text;
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      result += c;
    }
  }
  return result + "'";
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  const bool is_plain = !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
  return is_plain ? std::string(text) : in_quotes(text);
}

std::string capitals(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return result;
}

}  // namespace weir::tool
