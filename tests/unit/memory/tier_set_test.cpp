// SPDX-License-Identifier: Apache-2.0

#include "memory/tier_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <cstring>

#include "base/sanitizers.hpp"
#include "machines.hpp"

namespace weir::memory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

base::Result<std::unique_ptr<TierSet>> try_open(const machine::Machine& machine, std::string_view spec,
                                                TierSetConfig config = {.state = system_with(kTiB)}) {
  return TierSet::open(machine, *parse_tiers(spec), std::move(config));
}

std::unique_ptr<TierSet> opened(const machine::Machine& machine, std::string_view spec,
                                TierSetConfig config = {.state = system_with(kTiB)}) {
  auto tiers = try_open(machine, spec, std::move(config));
  EXPECT_TRUE(tiers) << tiers.status().message;
  return std::move(*tiers);
}

class OnThisSystem : public testing::Test {
 protected:
  machine::Machine machine_ = machine::Machine::discover().value();
};

TEST(TierSet, HasTheTiersOfTheSpecInItsOrder) {
  const auto tiers = opened(knl_snc4_flat(), "hbm=8MiB,ddr=64MiB");
  ASSERT_THAT(tiers->tiers(), SizeIs(2));
  const Tier& hbm = tiers->tiers()[0];
  EXPECT_EQ(&hbm, &tiers->fastest());
  EXPECT_EQ(hbm.name, "hbm");
  EXPECT_EQ(hbm.asked, Bytes{8 * kMiB});
  EXPECT_EQ(hbm.budget, Bytes{8 * kMiB});
  EXPECT_TRUE(hbm.addressable);
  ASSERT_THAT(hbm.arenas, SizeIs(4));
  EXPECT_EQ(hbm.arenas[1]->name(), "hbm1");
  EXPECT_EQ(hbm.arenas[1]->budget(), 2 * kMiB);
}

TEST(TierSet, NumbersArenasThroughAllTiers) {
  const auto tiers = opened(knl_snc4_flat(), "hbm=8MiB,ddr=64MiB");
  ASSERT_THAT(tiers->arenas(), SizeIs(8));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(tiers->arenas()[i]->index(), int(i));
    EXPECT_EQ(tiers->tier_of(*tiers->arenas()[i]).index, i < 4 ? 0 : 1);
  }
}

TEST(TierSet, MemoryOfADescribedMachineIsNotPlaced) {
  const auto tiers = opened(knl_snc4_flat(), "hbm=8MiB,ddr=64MiB");
  for (Arena* arena : tiers->arenas()) {
    EXPECT_TRUE(arena->os_nodes().empty());
    void* data = arena->address(arena->allocate(kMiB));
    ASSERT_NE(data, nullptr);
    std::memset(data, 1, kMiB);
  }
}

TEST(TierSet, AnEmulatedTierSaysSoInEveryName) {
  const auto tiers = opened(described("numa:1(memory=4GB) core:1 pu:1"), "memory=16MiB,emulated=64MiB@0.25");
  const Tier& emulated = tiers->tiers()[1];
  EXPECT_EQ(emulated.name, "emulated");
  EXPECT_EQ(emulated.copy_fraction, 0.25);
  EXPECT_TRUE(emulated.addressable);
  EXPECT_EQ(emulated.arenas[0]->name(), "emulated (ddr0)");
  EXPECT_EQ(tiers->report()[1].tier, "emulated");
}

TEST(TierSet, BlocksAreNeverPlacedInAnEmulatedTierByMode) {
  const auto tiers = opened(described("numa:1(memory=4GB) core:1 pu:1"), "emulated=64MiB@0.25,memory=16MiB");
  EXPECT_EQ(tiers->arena_for(Allocation::local, DomainId(0), {1})->name(), "ddr0");
}

TEST(TierSet, AFileTierHasAStoreAndAnEngine) {
  const auto tiers =
      opened(described("numa:1(memory=4GB) core:1 pu:1"), "memory=16MiB,file=" + testing::TempDir() + ":8MiB");
  const Tier& file = tiers->tiers()[1];
  EXPECT_EQ(file.name, "file");
  EXPECT_FALSE(file.addressable);
  EXPECT_THAT(file.arenas, IsEmpty());
  ASSERT_NE(file.file, nullptr);
  EXPECT_EQ(file.budget, Bytes{8 * kMiB});
  EXPECT_EQ(file.file->capacity(), 8 * kMiB);
  EXPECT_NE(tiers->io(), nullptr);
}

TEST(TierSet, WithoutAFileTierThereIsNoEngine) { EXPECT_EQ(opened(knl_snc4_flat(), "hbm=8MiB")->io(), nullptr); }

TEST(TierSet, AFolderThatIsNotThereIsAnErrorAndWithPreferAWarning) {
  const auto machine = described("numa:1(memory=4GB) core:1 pu:1");
  const auto refused = try_open(machine, "memory=16MiB,file=/no/such/folder/:1MiB");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.status().message, HasSubstr("/no/such/folder"));
  const auto preferred = opened(machine, "prefer,memory=16MiB,file=/no/such/folder/:1MiB");
  EXPECT_THAT(preferred->tiers(), SizeIs(1));
  EXPECT_THAT(preferred->warnings(), ElementsAre(HasSubstr("there is no file tier")));
}

TEST(TierSet, ADiskThatIsTooSmallIsAnErrorAndWithPreferAWarning) {
  const auto machine = described("numa:1(memory=4GB) core:1 pu:1");
  const std::string file = "memory=16MiB,file=" + testing::TempDir() + ":16384TiB";
  const auto refused = try_open(machine, file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.status().code, base::Code::no_space);
  const auto preferred = opened(machine, "prefer," + file);
  ASSERT_THAT(preferred->tiers(), SizeIs(2));
  EXPECT_LT(preferred->tiers()[1].budget, Bytes{kTiB * 16384});
  EXPECT_THAT(preferred->warnings(), ElementsAre(HasSubstr("; it takes ")));
}

TEST_F(OnThisSystem, TakesItsMemoryWithoutASpec) {
  const auto tiers = opened(machine_, "", {});
  EXPECT_GT(tiers->fastest().budget.count, 0u);
  EXPECT_LE(tiers->fastest().budget.count, platform::physical_memory_limit().bytes);
  EXPECT_EQ(tiers->fastest().asked, Bytes{0});
}

TEST_F(OnThisSystem, ReportsWhatWasAskedAndObtained) {
  const auto tiers = opened(machine_, "memory=32MiB", {});
  const std::uint64_t data = tiers->arenas()[0]->allocate(3 * kMiB);
  ASSERT_NE(data, Arena::kNowhere);
  tiers->arenas()[0]->free(data, 3 * kMiB);
  const ArenaReport report = tiers->report()[0];
  EXPECT_EQ(report.tier, "memory");
  EXPECT_EQ(report.used, Bytes{0});
  EXPECT_EQ(report.peak, Bytes{3 * kMiB});
  EXPECT_GE(report.populated, Bytes{3 * kMiB});
  EXPECT_GE(report.large_page_share, 0.0);
  EXPECT_LE(report.large_page_share, 1.0);
}

TEST_F(OnThisSystem, MoreThanThereIsIsAnErrorThatNamesTierAskedAndAvailable) {
  const auto tiers = try_open(machine_, "memory=1024TiB", {});
  ASSERT_FALSE(tiers);
  EXPECT_EQ(tiers.status().code, base::Code::no_space);
  EXPECT_THAT(tiers.status().message, StartsWith("tier memory: asked for 1024 TiB, available are "));
}

TEST_F(OnThisSystem, WithPreferItTakesWhatThereIsAndWarns) {
  const auto tiers = opened(machine_, "prefer,memory=1024TiB", {});
  EXPECT_THAT(tiers->warnings(), ElementsAre(StartsWith("tier memory: asked for 1024 TiB, available are ")));
  EXPECT_LT(tiers->fastest().budget, Bytes{1024 * kTiB});
}

// Sanitizers use address space without end.
#if !WEIR_ASAN && !WEIR_TSAN

void limit_address_space(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::_Exit(3);
}

// Exits with 0 when the tiers of `spec` are refused because of ulimit -v.
[[noreturn]] void exit_when_refused(const machine::Machine& machine, std::string_view spec) {
  limit_address_space(kGiB);
  const auto tiers = try_open(machine, spec, {});
  const bool refused = !tiers && tiers.status().message.find("left by ulimit -v") != std::string::npos;
  std::_Exit(refused ? 0 : 1);
}

// Exits with 0 when half of what ulimit -v leaves is there, to the last byte, and the program still has memory.
[[noreturn]] void exit_when_half_is_had(const machine::Machine& machine) {
  limit_address_space(kGiB);
  const auto tiers = try_open(machine, "", {});
  if (!tiers || tiers->get()->fastest().budget > Bytes{kGiB / 2}) std::_Exit(1);
  for (Arena* arena : tiers->get()->fastest().arenas) {
    while (arena->allocate(kMiB) != Arena::kNowhere) {
    }
    if (!arena->failure()) std::_Exit(2);
  }
  const std::vector<char> more(256 * kMiB);
  std::_Exit(more.size() == 256 * kMiB ? 0 : 3);
}

class OnThisSystemDeathTest : public OnThisSystem {
 protected:
  void SetUp() override {
    if (std::getenv("QEMU_LD_PREFIX") != nullptr) GTEST_SKIP() << "QEMU keeps no limit of the program's address space";
  }
};

TEST_F(OnThisSystemDeathTest, ALimitOfTheAddressSpaceIsAnErrorAndNotACrash) {
  EXPECT_EXIT(exit_when_refused(machine_, "memory=2GiB"), testing::ExitedWithCode(0), "");
}

TEST_F(OnThisSystemDeathTest, HalfOfALimitedAddressSpaceIsLeftToTheProgram) {
  EXPECT_EXIT(exit_when_half_is_had(machine_), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace weir::memory
