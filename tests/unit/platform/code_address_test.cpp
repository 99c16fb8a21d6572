// SPDX-License-Identifier: Apache-2.0

#include "platform/code_address.hpp"

#include <dlfcn.h>
#include <errno.h>
#include <gtest/gtest.h>

namespace weir::platform {
namespace {

int own_function() { return 11; }

TEST(CodeAddresses, OfTheProgramAndOfItsLibrariesLeadBack) {
  const CodeAddress own = code_address_of(reinterpret_cast<const void*>(&own_function));
  EXPECT_EQ(own.file, 0u);
  ASSERT_EQ(code_at(own), reinterpret_cast<const void*>(&own_function));
  EXPECT_EQ(reinterpret_cast<int (*)()>(const_cast<void*>(code_at(own)))(), 11);
  const void* const of_c = dlsym(RTLD_NEXT, "qsort");
  ASSERT_NE(of_c, nullptr);
  const CodeAddress library = code_address_of(of_c);
  EXPECT_NE(library.file, 0u);
  EXPECT_EQ(code_at(library), of_c);
}

TEST(CodeAddresses, OfAFileThatIsNotLoadedLeadNowhere) {
  EXPECT_EQ(code_at({4711, 0}), nullptr);
  EXPECT_FALSE(built_file(4711).has_value());
}

TEST(CodeAddresses, AFileIsKnownByWhatItWasBuiltAs) {
  const std::optional<BuiltFile> own = built_file(0);
  ASSERT_TRUE(own.has_value());
  EXPECT_EQ(own->name, program_invocation_short_name);
  EXPECT_FALSE(own->build.empty());
  const std::optional<BuiltFile> library = built_file(code_address_of(dlsym(RTLD_NEXT, "qsort")).file);
  ASSERT_TRUE(library.has_value());
  EXPECT_EQ(library->name.substr(0, 4), "libc");
  EXPECT_NE(library->build, own->build);
}

TEST(CodeAddresses, OfWhatIsNoCodeThereAreNone) {
  int variable = 0;
  EXPECT_FALSE(find_code_address(&variable).has_value());
}

TEST(CodeAddressesDeathTest, OfNoCodeAtAllAbort) {
  int variable = 0;  // on the stack, which is of no file
  EXPECT_DEATH(static_cast<void>(code_address_of(&variable)), "code of a file that is loaded");
}

}  // namespace
}  // namespace weir::platform
