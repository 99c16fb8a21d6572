// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/routine.hpp"

#include <gtest/gtest.h>

namespace {
std::string found;
}

// As the API has them: C functions of two names.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
[[gnu::noinline]] void pshmem_made_up_put() {
  found = weir::shmem::routine_of_caller();
  found += "!";  // not a tail call
}
[[gnu::weak, gnu::alias("pshmem_made_up_put")]] void shmem_made_up_put();
[[gnu::noinline]] void pshmem_made_up_get() {
  shmem_made_up_put();
  found += "?";
}
// What a compiler makes of the part of a routine that is not expected to run.
[[gnu::noinline]] void made_up_part() asm("pshmem_made_up_fetch.cold");
void made_up_part() {
  found = weir::shmem::routine_of_caller();
  found += "!";
}
// Functions of the program: one that a profiler has in the place of a routine, and one with a name like theirs.
[[gnu::noinline]] void shmem_made_up_get() {
  pshmem_made_up_get();
  found += ".";
}
[[gnu::noinline]] void shmem_made_up_solver(bool is_calling) {
  if (is_calling)
    pshmem_made_up_put();
  else
    found = weir::shmem::routine_of_caller();
  found += "*";
}
// NOLINTEND(readability-identifier-naming)
}

namespace weir::shmem {
namespace {

TEST(Routine, IsTheOutermostOfTheLibraryThatTheProgramHasCalled) {
  EXPECT_EQ(routine_of_caller(), "");
  shmem_made_up_put();
  EXPECT_EQ(found, "shmem_made_up_put!");
  pshmem_made_up_get();
  EXPECT_EQ(found, "shmem_made_up_get!?");
  shmem_made_up_get();
  EXPECT_EQ(found, "shmem_made_up_get!?.");
}

TEST(Routine, IsNoFunctionOfTheProgramWhoseNameBeginsLikeOne) {
  shmem_made_up_solver(true);
  EXPECT_EQ(found, "shmem_made_up_put!*");
  shmem_made_up_solver(false);
  EXPECT_EQ(found, "*");
}

TEST(Routine, IsTheWholeOfWhichACompilerHasMadeParts) {
  made_up_part();
  EXPECT_EQ(found, "shmem_made_up_fetch!");
}

TEST(Routine, NamesAreThoseOfTheApi) {
  for (const char* const name :
       {"shmem_long_put", "pshmem_quiet", "start_pes", "pstart_pes", "pshmemx_wtime", "shmalloc", "_my_pe"})
    EXPECT_TRUE(is_routine_name(name)) << name;
  for (const char* const name : {"main", "my_shmem_put", "weir::shmem::put", ""})
    EXPECT_FALSE(is_routine_name(name)) << name;
}

}  // namespace
}  // namespace weir::shmem
