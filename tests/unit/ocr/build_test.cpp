// SPDX-License-Identifier: Apache-2.0

#include "ocr/ranks/build.hpp"

#include <gmock/gmock.h>

#include <cstring>

#include "ocr/ocr.h"

namespace weir::ocr {
namespace {

using testing::HasSubstr;

Build build(const char* program, const char* program_build, const char* library_build = "",
            std::uint32_t guid_bits = 64) {
  Build made;
  std::strcpy(made.program, program);
  std::strcpy(made.program_build, program_build);
  std::strcpy(made.library_build, library_build);
  made.guid_bits = guid_bits;
  return made;
}

TEST(Builds, OfOneProgramAreAlikeWhateverItsFilesAreCalled) {
  const Build all[] = {build("graph", "ab12"), build("copy", "ab12"), build("graph", "ab12")};
  EXPECT_EQ(difference_between(all), "");
  const Build own[] = {build_of_this_rank(), build_of_this_rank()};
  EXPECT_EQ(difference_between(own), "");
  EXPECT_EQ(own[0].guid_bits, 8 * sizeof(ocrGuid_t));
  EXPECT_NE(own[0].program_build[0], '\0');
}

TEST(Builds, ThatDifferAreToldOfTheFirstRankThatDoes) {
  const Build all[] = {build("graph", "ab12"), build("graph", "ab12"), build("graph", "cd34"), build("other", "ef56")};
  EXPECT_THAT(difference_between(all),
              HasSubstr("rank 2 runs graph (build cd34), and rank 0 graph (build ab12): ranks tell"));
}

// With another library the program has another build as well.
TEST(Builds, ThatHaveGuidsOfOtherWidthsAreToldThat) {
  const Build all[] = {build("graph", "ab12"), build("graph128", "cd34", "", 128)};
  EXPECT_THAT(difference_between(all), HasSubstr("rank 1 has GUIDs of 128 bits (graph128 (build cd34)), and rank 0 of "
                                                 "64 bits (graph (build ab12)): build the program once"));
}

TEST(Builds, OfTheLibraryAreCompared) {
  const Build all[] = {build("graph", "ab12", "11"), build("graph", "ab12", "22")};
  EXPECT_THAT(difference_between(all), HasSubstr("rank 1 has another build of the OCR library (22) than rank 0 (11)"));
}

TEST(Builds, OfAnyLengthAreComparedByWhatThereIsRoomFor) {
  Build first = build("graph", ""), second = first;
  std::memset(first.program_build, 'a', sizeof first.program_build);
  std::memset(second.program_build, 'a', sizeof second.program_build);
  second.program_build[sizeof second.program_build - 1] = 'b';
  const Build all[] = {first, second};
  EXPECT_THAT(difference_between(all), HasSubstr("rank 1 runs graph (build aaa"));
}

}  // namespace
}  // namespace weir::ocr
