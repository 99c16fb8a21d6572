// SPDX-License-Identifier: Apache-2.0

#include "ocr/ranks/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ocr/ocr.h"
#include "platform/code_address.hpp"

namespace weir::ocr {

namespace {

template <std::size_t kSize>
void put(char (&to)[kSize], const std::string& text) {
  std::copy_n(text.begin(), std::min(kSize, text.size()), to);
}
template <std::size_t kSize>
std::string_view text_of(const char (&text)[kSize]) noexcept {
  return {text, static_cast<std::size_t>(std::find(text, text + kSize, '\0') - text)};
}

std::string words_of(const Build& build) {
  return fmt::format("{} (build {})", text_of(build.program), text_of(build.program_build));
}

}  // namespace

bool Build::is_like(const Build& other) const noexcept {
  return guid_bits == other.guid_bits && text_of(program_build) == text_of(other.program_build) &&
         text_of(library_build) == text_of(other.library_build);
}

Build build_of_this_rank() {
  Build build;
  build.guid_bits = 8 * sizeof(ocrGuid_t);
  const platform::BuiltFile program = platform::built_file(0).value_or(platform::BuiltFile{});
  put(build.program, program.name);
  put(build.program_build, program.build);
  const auto library = platform::find_code_address(reinterpret_cast<const void*>(&build_of_this_rank));
  if (library && library->file != 0)
    put(build.library_build, platform::built_file(library->file).value_or(platform::BuiltFile{}).build);
  return build;
}

std::string difference_between(std::span<const Build> all) {
  const Build& first = all.front();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Build& each) { return !each.is_like(first); });
  if (found == all.end()) return "";
  const Build& other = *found;
  const auto rank = found - all.begin();
  if (other.guid_bits != first.guid_bits)
    return fmt::format(
        "rank {} has GUIDs of {} bits ({}), and rank 0 of {} bits ({}): build the program once, with or without "
        "OCR_ENABLE_128_BIT_GUID, and start that on all ranks",
        rank, other.guid_bits, words_of(other), first.guid_bits, words_of(first));
  if (text_of(other.program_build) != text_of(first.program_build))
    return fmt::format(
        "rank {} runs {}, and rank 0 {}: ranks tell one another functions by where they are in the program, so start "
        "the same program on all ranks, from one build",
        rank, words_of(other), words_of(first));
  return fmt::format(
      "rank {} has another build of the OCR library ({}) than rank 0 ({}): install the same one on all hosts", rank,
      text_of(other.library_build), text_of(first.library_build));
}

}  // namespace weir::ocr
