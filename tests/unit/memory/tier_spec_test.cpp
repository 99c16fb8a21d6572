// SPDX-License-Identifier: Apache-2.0

#include "memory/tier_spec.hpp"

#include <gtest/gtest.h>

#include "sizes.hpp"

namespace weir::memory {
namespace {

TierSpec parsed(std::string_view text) {
  auto spec = parse_tiers(text);
  EXPECT_TRUE(spec) << spec.status().message;
  return spec ? *spec : TierSpec{};
}

std::string refusal(std::string_view text) {
  const auto spec = parse_tiers(text);
  if (spec) return "accepted";
  EXPECT_EQ(spec.status().code, base::Code::bad_option);
  return spec.status().message;
}

TEST(TierSpec, WithoutTextAsksForTheMachinesMemory) {
  EXPECT_TRUE(parsed("").tiers.empty());
  EXPECT_TRUE(parsed("  ").tiers.empty());
}

TEST(TierSpec, KeepsTheOrderAndTheSizesOfItsEntries) {
  const TierSpec spec = parsed("hbm=14GiB, ddr=0.5TiB ,cxl");
  ASSERT_EQ(spec.tiers.size(), 3u);
  EXPECT_EQ(spec.tiers[0].kind, TierKind::hbm);
  EXPECT_EQ(spec.tiers[0].size, Bytes{14 * kGiB});
  EXPECT_EQ(spec.tiers[1].kind, TierKind::ddr);
  EXPECT_EQ(spec.tiers[1].size, Bytes{512 * kGiB});
  EXPECT_EQ(spec.tiers[2].kind, TierKind::cxl);
  EXPECT_EQ(spec.tiers[2].size, std::nullopt);
  EXPECT_FALSE(spec.prefer);
}

TEST(TierSpec, ReadsEveryUnit) {
  EXPECT_EQ(parsed("hbm=4096B").tiers[0].size, Bytes{4096});
  EXPECT_EQ(parsed("hbm=12.5KiB").tiers[0].size, Bytes{12800});
  EXPECT_EQ(parsed("hbm=3MiB").tiers[0].size, Bytes{3 * kMiB});
  EXPECT_EQ(parsed("hbm=1TiB").tiers[0].size, Bytes{1024 * kGiB});
}

TEST(TierSpec, AFileHasAPathAndPerhapsASize) {
  const TierRequest with_size = parsed("file=/scratch/a b:200GiB").tiers[0];
  EXPECT_EQ(with_size.path, "/scratch/a b");
  EXPECT_EQ(with_size.size, Bytes{200 * kGiB});
  const TierRequest without = parsed("file=/scratch").tiers[0];
  EXPECT_EQ(without.path, "/scratch");
  EXPECT_EQ(without.size, std::nullopt);
}

TEST(TierSpec, AColonBelongsToThePathUnlessANumberFollows) {
  EXPECT_EQ(parsed("file=/a:b/c").tiers[0].path, "/a:b/c");
  EXPECT_EQ(parsed("file=/a:b:1GiB").tiers[0].path, "/a:b");
}

TEST(TierSpec, AnEmulatedTierHasASizeAndAFraction) {
  const TierRequest request = parsed("memory=512MiB,emulated=4GiB@0.25").tiers[1];
  EXPECT_EQ(request.kind, TierKind::emulated);
  EXPECT_EQ(request.size, Bytes{4 * kGiB});
  EXPECT_EQ(request.copy_fraction, 0.25);
}

TEST(TierSpec, PreferComesFirstOrLastOrAlone) {
  EXPECT_TRUE(parsed("prefer,hbm=1GiB").prefer);
  EXPECT_TRUE(parsed("hbm=1GiB,prefer").prefer);
  EXPECT_EQ(parsed("prefer,hbm=1GiB").tiers.size(), 1u);
  EXPECT_TRUE(parsed("prefer").prefer);
  EXPECT_TRUE(parsed("prefer").tiers.empty());
}

TEST(TierSpec, EveryErrorNamesItsColumnAndWhatIsAllowed) {
  const std::pair<const char*, const char*> cases[] = {
      {"hmb=1GiB",
       "tiers, column 1: unknown tier \"hmb\"; there are hbm, ddr, cxl, nvm, device, memory, file, emulated, prefer; "
       "did "
       "you mean hbm?"},
      {"ddr,hbm:1GiB", "tiers, column 8: expected '=' behind hbm, as in hbm=14GiB"},
      {"file:/scratch:1GiB", "tiers, column 5: expected '=' behind file, as in file=/scratch:200GiB"},
      {"hbm=1GiB,,ddr", "tiers, column 10: expected a tier, such as hbm=14GiB"},
      {"hbm=1GiB,", "tiers, column 10: expected a tier, such as hbm=14GiB"},
      {"hbm=", "tiers, column 5: expected a size, such as 512MiB or 1.5GiB"},
      {"hbm=-1GiB", "tiers, column 5: expected a size, such as 512MiB or 1.5GiB"},
      {"hbm=nan", "tiers, column 5: expected a size, such as 512MiB or 1.5GiB"},
      {"hbm=14", "tiers, column 7: expected a unit: B, KiB, MiB, GiB or TiB"},
      {"hbm=14Gib", "tiers, column 7: unknown unit \"Gib\"; there are B, KiB, MiB, GiB and TiB; did you mean GiB?"},
      {"hbm=14 GB", "tiers, column 7: unknown unit \" GB\"; there are B, KiB, MiB, GiB and TiB"},
      {"hbm=0GiB", "tiers, column 5: a size below 4096 bytes"},
      {"hbm=99999999TiB", "tiers, column 5: a size of 2^56 bytes or more"},
      {"hbm=1GiB,hbm=2GiB", "tiers, column 10: hbm is there twice"},
      {"memory=1GiB,ddr", "tiers, column 13: ddr and memory are the same memory; say one of them"},
      {"file", "tiers, column 5: file needs a path, as in file=/scratch:200GiB"},
      {"file=", "tiers, column 6: expected a folder or a file, as in file=/scratch:200GiB"},
      {"file=:1GiB", "tiers, column 6: expected a folder or a file, as in file=/scratch:200GiB"},
      {"file=/a:", "tiers, column 9: expected a size after ':', such as 200GiB"},
      {"file=/a:1Gig", "tiers, column 10: unknown unit \"Gig\"; there are B, KiB, MiB, GiB and TiB; did you mean GiB?"},
      {"emulated", "tiers, column 9: emulated needs a size and a fraction, as in emulated=4GiB@0.25"},
      {"emulated=1GiB",
       "tiers, column 14: expected '@' and a fraction of the copy bandwidth, as in emulated=4GiB@0.25"},
      {"emulated=1GiB@2", "tiers, column 15: expected a fraction above 0 and at most 1, such as 0.25"},
      {"emulated=1GiB@0", "tiers, column 15: expected a fraction above 0 and at most 1, such as 0.25"},
      {"hbm,prefer,ddr", "tiers, column 5: prefer comes first or last"},
      {"prefer,hbm,prefer", "tiers, column 12: prefer is there twice"},
      {"hbm,prefer=1GiB", "tiers, column 11: prefer has no size"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(text), message) << text;
}

TEST(SizeText, ChoosesTheUnitThatPeopleWould) {
  EXPECT_EQ(size_text({0}), "0 B");
  EXPECT_EQ(size_text({1023}), "1023 B");
  EXPECT_EQ(size_text({4096}), "4 KiB");
  EXPECT_EQ(size_text({512 * kMiB}), "512 MiB");
  EXPECT_EQ(size_text({3 * kGiB / 2}), "1.5 GiB");
  EXPECT_EQ(size_text({2048 * kGiB}), "2 TiB");
}

}  // namespace
}  // namespace weir::memory
