// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "transport/joined/host.hpp"
#include "transport/joined/neighbourhood.hpp"
#include "transport/mpi/copy_words.hpp"
#include "transport/mpi/load.hpp"
#include "transport/mpi/mail.hpp"
#include "transport/mpi/pending.hpp"
#include "transport/mpi/pending_table.hpp"

namespace weir::transport {
namespace {

using launch::Starter;
using testing::ElementsAre;
using testing::HasSubstr;

std::string chosen(const mpi::Hints& hints) {
  const auto mpi = mpi::choose(hints);
  return mpi ? *mpi : "none: " + mpi.status().message;
}

TEST(MpiPlugin, IsLookedForWhereTheStarterOfAProgramHasItsParts) {
  const auto files = mpi::places({"/home/me/program", "/home/me/program", "/opt/weir/libexec/weir"}, "x.so");
  EXPECT_THAT(files, testing::Contains(std::filesystem::path("/home/me/libexec/weir/x.so")));
  ASSERT_GE(files.size(), 2U);
  EXPECT_EQ(files[files.size() - 2], "/opt/weir/libexec/weir/x.so") << "before where it was configured to be";
  EXPECT_EQ(mpi::places({"/home/me/program", "/home/me/program", ""}, "x.so").size(), files.size() - 1);
}

TEST(ChosenMpi, IsTheOneThatIsAskedForBeforeAllOthers) {
  mpi::Hints hints{.wanted = "mpich", .linked = "openmpi", .starter = Starter::open_mpi};
  EXPECT_EQ(chosen(hints), "mpich");
  hints.wanted = "/opt/mine/plugin.so";
  EXPECT_EQ(chosen(hints), "/opt/mine/plugin.so");
  hints.wanted = "lam";
  EXPECT_THAT(chosen(hints), HasSubstr("WEIR_MPI=lam: openmpi, mpich, or the path of a plugin"));
}

TEST(ChosenMpi, IsTheProgramsOwnElseTheStarters) {
  EXPECT_EQ(chosen({.wanted = "", .linked = "mpich", .starter = Starter::open_mpi}), "mpich");
  EXPECT_EQ(chosen({.wanted = "", .linked = "", .starter = Starter::open_mpi}), "openmpi");
  EXPECT_EQ(chosen({.wanted = "", .linked = "", .starter = Starter::mpich}), "mpich");
}

TEST(ChosenMpi, OfSlurmIsWhatItSpeaksAndElseMustBeSaid) {
  mpi::Hints hints{.wanted = "", .linked = "", .starter = Starter::slurm, .speaks_pmix = true, .speaks_pmi = false};
  EXPECT_EQ(chosen(hints), "openmpi");
  hints.speaks_pmi = true;
  EXPECT_THAT(chosen(hints), HasSubstr("set WEIR_MPI to openmpi or mpich"));
}

TEST(Hosts, AreToldApartByTheirNames) {
  std::vector<joined::HostMark> marks(5);
  for (std::size_t i = 0; i < marks.size(); ++i) std::strcpy(marks[i].place.data(), i % 2 == 0 ? "even" : "odd");
  EXPECT_THAT(joined::neighbours_of(Rank{2}, marks), ElementsAre(Rank{0}, Rank{2}, Rank{4}));
  EXPECT_THAT(joined::neighbours_of(Rank{1}, marks), ElementsAre(Rank{1}, Rank{3}));
}

TEST(Hosts, OfTwoProcessesOfThisOneAreTheSameButForTheirNumbers) {
  const joined::HostMark one = joined::own_mark(), other = joined::own_mark();
  EXPECT_EQ(one.place, other.place);
  EXPECT_NE(one.nonce, other.nonce);
}

TEST(Neighbourhood, NumbersNeighboursInRisingOrder) {
  const joined::Neighbourhood neighbourhood({Rank{1}, Rank{4}}, 5);
  EXPECT_TRUE(neighbourhood.has(Rank{4}));
  EXPECT_FALSE(neighbourhood.has(Rank{0}));
  EXPECT_EQ(neighbourhood.near(Rank{4}), Rank{1});
  EXPECT_EQ(neighbourhood.far(Rank{0}), Rank{1});
  EXPECT_EQ(neighbourhood.near(Location{Rank{4}, RegionId{3}, 8}).offset, 8U);
}

TEST(CopyWords, CopiesWhatMemcpyCopiesAtAnyAlignment) {
  std::mt19937 random(22);
  std::vector<std::byte> from(300), to(300), expected(300);
  for (std::byte& byte : from) byte = static_cast<std::byte>(random());
  for (int i = 0; i < 3000; ++i) {
    const std::size_t source = random() % 40, target = random() % 40, bytes = random() % 200;
    std::fill(to.begin(), to.end(), std::byte{7});
    expected = to;
    std::memcpy(&expected[target], &from[source], bytes);
    mpi::copy_words(&to[target], &from[source], bytes);
    ASSERT_EQ(to, expected) << bytes << " bytes from " << source << " to " << target;
  }
}

TEST(Pending, CountsByRankAndKnowsLargePuts) {
  mpi::Pending pending(3, 2);
  pending.issued(Rank{0});
  pending.issued(Rank{0});
  pending.issued_large(Rank{1});
  EXPECT_EQ(pending.all(), 3U);
  EXPECT_EQ(pending.large(), 1U);
  pending.ended(Rank{0}, 2);
  EXPECT_EQ(pending.of(Rank{0}), 0U);
  EXPECT_EQ(pending.of(Rank{1}), 1U);
  pending.ended_large(Rank{1});
  EXPECT_EQ(pending.all() + pending.large(), 0U);
}

TEST(PendingTable, IsQuietWhenNothingOfAnyChannelIsPending) {
  mpi::PendingTable table(2);
  mpi::Pending& first = table.open();
  mpi::Pending& second = table.open();
  EXPECT_TRUE(table.is_quiet());
  second.issued_large(Rank{1});
  EXPECT_FALSE(table.is_quiet());
  table.close(first);
  EXPECT_FALSE(table.is_quiet());
  second.ended_large(Rank{1});
  EXPECT_TRUE(table.is_quiet());
}

TEST(Mail, StopsASenderUntilTheReceiverHasHandledAPartOfItsWindow) {
  mpi::Mail sender(2), receiver(2);
  std::uint32_t sent = 0;
  for (; sender.may_send(Rank{1}); ++sent) sender.sent(Rank{1});
  EXPECT_EQ(sent, mpi::kWindow);
  std::uint32_t credits = 0;
  for (std::uint32_t handled = 0; credits == 0; ++handled) {
    ASSERT_LT(handled, sent) << "no credit for a whole window";
    credits = receiver.handled(Rank{0});
  }
  sender.credit(Rank{1}, credits);
  EXPECT_TRUE(sender.may_send(Rank{1}));
}

}  // namespace
}  // namespace weir::transport
