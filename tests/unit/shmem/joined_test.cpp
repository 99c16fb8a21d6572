// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "launch/joined.hpp"
#include "shmem/world/world.hpp"

namespace weir::shmem {
namespace {

TEST(Joined, AnotherCopyOfTheLibraryInTheProcessIsNamed) {
  EXPECT_FALSE(launch::has_other_copy_joined());
  EXPECT_EXIT(fail_not_started(), testing::ExitedWithCode(1), "called before shmem_init");
  launch::note_joined(launch::Job{});
  EXPECT_TRUE(launch::has_other_copy_joined());
  launch::note_left();
  EXPECT_FALSE(launch::has_other_copy_joined());
  EXPECT_EXIT((launch::note_joined(launch::Job{}), fail_not_started()), testing::ExitedWithCode(1),
              "this process has two copies of Weir");
}

}  // namespace
}  // namespace weir::shmem
