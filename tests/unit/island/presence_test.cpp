// SPDX-License-Identifier: Apache-2.0

#include "island/presence.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <string>

#include "child.hpp"
#include "platform/descriptor.hpp"

namespace weir::island {
namespace {

class APresence : public testing::Test {
 protected:
  std::string name() const { return "/proc/self/fd/" + std::to_string(file_.number()); }

  const platform::Descriptor file_{::memfd_create("presence", MFD_CLOEXEC)};
  const Presence here_{file_.number()}, there_{file_.number()};
};

TEST_F(APresence, HasAPlaceThatNobodyElseCanHaveAlsoOfThisProcess) {
  ASSERT_TRUE(here_.take(3));
  EXPECT_TRUE(here_.take(3));
  EXPECT_FALSE(here_.is_held(3)) << "by another one";
  EXPECT_TRUE(there_.is_held(3));
  EXPECT_FALSE(there_.take(3));
  EXPECT_FALSE(there_.is_held(2));
}

TEST_F(APresence, LastsWhenTheProcessOpensAndClosesTheFile) {
  ASSERT_TRUE(here_.take(Presence::kMaster));
  { const std::ifstream opened(name()); }
  EXPECT_TRUE(there_.is_held(Presence::kMaster));
}

TEST_F(APresence, KnowsOfAnyWorker) {
  ASSERT_TRUE(here_.take(Presence::kMaster));
  ASSERT_TRUE(here_.take(Presence::kHeadPosted));
  ASSERT_TRUE(here_.take(Presence::kAllAttached));
  EXPECT_FALSE(there_.has_workers());
  ASSERT_TRUE(here_.take(1'000'000));
  EXPECT_TRUE(there_.has_workers());
}

// The child lives on, and has mapped what its parent has mapped.
TEST_F(APresence, EndsWithItsProcessThoughAChildLives) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  Child parent([&] {
    const Presence own(file_.number());
    if (!own.take(5)) return 1;
    const pid_t child = ::fork();
    if (child == 0) {
      ::setsid();
      char byte = 0;
      ::close(ends[1]);
      static_cast<void>(!::read(ends[0], &byte, 1));  // until the test closes its end
      ::_exit(0);
    }
    return here_.is_held(5) ? 2 : 0;  // a child has no part in what its parent has open
  });
  EXPECT_EQ(parent.wait(), 0);
  EXPECT_FALSE(here_.is_held(5));
  ::close(ends[1]);
  ::close(ends[0]);
}

TEST_F(APresence, OfWhatTakesNoLocksHasNoPlace) {
  const Presence none(-1);
  EXPECT_FALSE(none.take(1));
  EXPECT_FALSE(none.is_held(1));
}

}  // namespace
}  // namespace weir::island
