// SPDX-License-Identifier: Apache-2.0

#include "apps/common/isolated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "apps/common/outcome.hpp"
#include "apps/common/tiered_run.hpp"
#include "temporary_folder.hpp"

namespace weir::apps {
namespace {

using testing::HasSubstr;

TEST(Isolated, GivesBackWhatTheFunctionReturnsHoweverLongItIs) {
  const std::string longer(1 << 20, 'x');
  EXPECT_EQ(*run_isolated([&] { return longer; }), longer);
  EXPECT_EQ(*run_isolated([] { return std::to_string(::getpid() == ::getppid()); }), "0");
}

TEST(Isolated, AnExceptionIsTheMessageOfTheFailure) {
  const auto result = run_isolated([]() -> std::string { throw std::runtime_error("no such thing"); });
  EXPECT_EQ(result.status().message, "no such thing");
}

TEST(Isolated, ASignalThatEndsTheProcessIsNamed) {
  const auto result = run_isolated([]() -> std::string {
    ::raise(SIGKILL);
    return "";
  });
  EXPECT_THAT(result.status().message, HasSubstr("signal 9"));
}

TEST(Isolated, WhatTakesTooLongIsKilled) {
  const auto result = run_isolated(
      []() -> std::string {
        for (;;) ::pause();
      },
      {nullptr, 0.05});
  EXPECT_THAT(result.status().message, HasSubstr("did not end within 0.05 s"));
}

TEST(Isolated, AProgramGivesItsStandardOutput) {
  EXPECT_EQ(*run_isolated_program({"echo", "a", "b"}), "a b\n");
  EXPECT_FALSE(run_isolated_program({"/no/such/program"}));
  EXPECT_THAT(run_isolated_program({"false"}).status().message, HasSubstr("status 1"));
  EXPECT_THAT(run_isolated_program({"sh", "-c", "echo one >&2; echo two >&2; exit 3"}).status().message,
              testing::EndsWith("status 3: two"));
}

TEST(Isolated, ThePeakIsOfTheProcessAlone) {
  // Where the texts begin is kept in a volatile: else a compiler may do without their memory.
  const std::string here(std::size_t{64} << 20, 'x');
  const char* volatile seen_here = here.data();
  const auto peak = run_isolated([] { return std::to_string(peak_resident_bytes()); });
  const auto more = run_isolated([] {
    const std::string memory(std::size_t{96} << 20, 'y');
    const char* volatile seen = memory.data();
    return std::to_string(peak_resident_bytes() + (seen[1000] == 'y' ? 0 : 1));
  });
  EXPECT_EQ(seen_here[0], 'x');
  EXPECT_GE(std::stoull(*more), std::stoull(*peak) + (std::uint64_t{80} << 20));
}

TEST(MemoryCage, WritesTheLimitBesideTheProcessesOwnGroup) {
  const TemporaryFolder root;
  const auto group = std::filesystem::path(root.path()) / "sys/fs/cgroup/memory/mine";
  std::filesystem::create_directories(std::filesystem::path(root.path()) / "proc/self");
  std::filesystem::create_directories(group);
  std::ofstream(std::filesystem::path(root.path()) / "proc/self/cgroup") << "4:memory:/mine\n";
  // A folder of a real hierarchy has its files at once; this one has none.
  const auto cage = MemoryCage::create(12345, root.path());
  EXPECT_FALSE(cage);
  EXPECT_THAT(cage.status().message, HasSubstr("memory.limit_in_bytes"));
  EXPECT_TRUE(std::filesystem::is_empty(group)) << "what could not be limited is taken away";
}

TEST(MemoryCage, SaysSoWhereThereIsNoCgroup) {
  const TemporaryFolder root;
  EXPECT_THAT(MemoryCage::create(1, root.path()).status().message, HasSubstr("no cgroup of memory is mounted"));
}

TEST(Outcome, SurvivesItsWayToTheProcessThatAsked) {
  Outcome outcome;
  outcome.seconds = 1.5;
  outcome.bytes_fetched = 1;
  outcome.bytes_written_back = 2;
  outcome.hits = 3;
  outcome.misses = 1;
  outcome.result = {~std::uint64_t{0}, 7};
  outcome.wrong = "C[1][2] is \"3\"";
  const auto back = outcome_of(to_text(outcome));
  ASSERT_TRUE(back);
  EXPECT_EQ(to_text(*back), to_text(outcome));
  EXPECT_EQ(back->bytes_moved(), 3u);
  EXPECT_EQ(back->hit_rate(), 0.75);
  EXPECT_FALSE(outcome_of("Segmentation fault"));
  EXPECT_FALSE(outcome_of("{}"));
}

TEST(SlowTier, IsAFolderOrAFractionOfMemory) {
  EXPECT_EQ(parse_slow_tier("file:/a:b")->folder, "/a:b");
  EXPECT_EQ(parse_slow_tier("emulated:0.25")->fraction, 0.25);
  for (const char* wrong :
       {"", "file", "file:", "/tmp", "emulated", "emulated:", "emulated:0", "emulated:2", "emulated:x"}) {
    EXPECT_FALSE(parse_slow_tier(wrong)) << wrong;
  }
}

TEST(SlowTier, EmulationIsInTheTextOfTheTiers) {
  EXPECT_THAT(tiers_text(*parse_slow_tier("emulated:0.25"), 4096, 8192), testing::StartsWith("memory=4096B,emulated="));
  EXPECT_THAT(tiers_text(*parse_slow_tier("file:/tmp"), 4096, 8192), testing::StartsWith("memory=4096B,file=/tmp:"));
}

}  // namespace
}  // namespace weir::apps
