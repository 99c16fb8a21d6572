// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/routine.hpp"

#include <gtest/gtest.h>

namespace {
std::string found;
}

// As the API has them: C functions.
extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming)
[[gnu::noinline]] void shmem_made_up_put() {
  found = weir::shmem::routine_of_caller();
  found += "!";  // not a tail call
}
// NOLINTNEXTLINE(readability-identifier-naming)
[[gnu::noinline]] void pshmem_made_up_get() {
  shmem_made_up_put();
  found += "?";
}
}

namespace weir::shmem {
namespace {

TEST(Routine, IsTheOutermostOfTheLibraryThatTheProgramHasCalled) {
  EXPECT_EQ(routine_of_caller(), "");
  shmem_made_up_put();
  EXPECT_EQ(found, "shmem_made_up_put!");
  pshmem_made_up_get();
  EXPECT_EQ(found, "shmem_made_up_get!?");
}

TEST(Routine, NamesAreThoseOfTheApi) {
  for (const char* const name : {"shmem_long_put", "pshmem_quiet", "start_pes", "shmalloc", "_my_pe"})
    EXPECT_TRUE(is_routine_name(name)) << name;
  for (const char* const name : {"main", "my_shmem_put", "weir::shmem::put", ""})
    EXPECT_FALSE(is_routine_name(name)) << name;
}

}  // namespace
}  // namespace weir::shmem
