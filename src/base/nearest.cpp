// SPDX-License-Identifier: Apache-2.0

#include "base/nearest.hpp"

#include <algorithm>
#include <vector>

namespace weir::base {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> table((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return table[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = at(i - 1, j - 1) + (a[i - 1] == b[j - 1] ? 0 : 1);
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return at(a.size(), b.size());
}

std::string_view nearest(std::string_view word, std::span<const std::string> known) {
  std::string_view best;
  int least = static_cast<int>(word.size()) / 3 + 1;
  for (const std::string& candidate : known) {
    const int distance = edit_distance(lower(word), lower(candidate));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  const std::string_view best = nearest(word, known);
  return best.empty() ? std::string() : "; did you mean " + std::string(best) + "?";
}

}  // namespace weir::base
