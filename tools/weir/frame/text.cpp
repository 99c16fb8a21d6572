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

std::string capitals(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return result;
}

}  // namespace weir::tool
