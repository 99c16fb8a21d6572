// SPDX-License-Identifier: Apache-2.0

#include "sim/target.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "machine/machine_data.hpp"
#include "sim/known_machines.hpp"

namespace weir::sim {
namespace {

TargetRequest request_for(const std::string& machine, int workers, const std::string& tiers = "") {
  TargetRequest request;
  request.options.machine = machine;
  request.options.workers = workers;
  request.options.tiers = tiers;
  request.own_machine = request.own_tiers = false;
  return request;
}

TEST(Target, KnlHasFourNodesOfHbmBeforeFourOfOrdinaryMemory) {
  const auto machine = find_machine("knl-snc4-flat");
  ASSERT_TRUE(machine) << machine.status().message;
  const auto target = make_target(*machine, request_for("knl-snc4-flat", 64), {});
  ASSERT_TRUE(target) << target.status().message;
  ASSERT_EQ(target->hierarchy.tiers.size(), 2u);
  EXPECT_EQ(target->hierarchy.tiers[0].name, "hbm");
  EXPECT_EQ(target->hierarchy.tiers[0].nodes.size(), 4u);
  EXPECT_EQ(target->hierarchy.tiers[1].nodes.size(), 4u);
  EXPECT_EQ(target->worker_domains.size(), 64u);
  EXPECT_EQ(target->worker_domains.front(), DomainId{0});
  EXPECT_EQ(target->worker_domains.back(), DomainId{3});
  EXPECT_GT(target->costs.cost(target->memory[0], DomainId{0}).read_gb_per_s,
            target->costs.cost(target->memory[4], DomainId{0}).read_gb_per_s);
}

TEST(Target, TheMachineOfTheTraceHasTheCoresThatTheTraceSays) {
  const auto machine = find_machine("knl-quad-flat");
  ASSERT_TRUE(machine);
  RealRun real;
  real.cores = 7;
  TargetRequest request = request_for("knl-quad-flat", 64);
  EXPECT_EQ(make_target(*machine, request, real)->cores, static_cast<unsigned>(machine->default_worker_count()));
  request.own_machine = true;
  EXPECT_EQ(make_target(*machine, request, real)->cores, 7u);
}

TEST(Target, TheQuotaOfTheMachineIsThatOfTheTraceWhereTheRunHadNoMoreWorkers) {
  const auto machine = find_machine("knl-quad-flat");
  ASSERT_TRUE(machine);
  const auto data = std::make_shared<machine::Machine::Data>(machine->data());
  data->cpu_quota = 2;
  const machine::Machine limited(data);
  RealRun real;
  real.cores = static_cast<unsigned>(limited.core_count());
  real.workers = 2;
  TargetRequest request = request_for("knl-quad-flat", 64);
  request.own_machine = true;
  EXPECT_EQ(make_target(limited, request, real)->cores, 2u);
  real.workers = limited.core_count();
  EXPECT_EQ(make_target(limited, request, real)->cores, real.cores) << "the traced run had no such quota";
  request.own_machine = false;
  EXPECT_EQ(make_target(limited, request, real)->cores, 2u);
}

TEST(Target, TiersSayHowMuchOfTheMachineIsUsed) {
  const auto machine = find_machine("knl-quad-flat");
  ASSERT_TRUE(machine);
  const auto target = make_target(*machine, request_for("knl-quad-flat", 4, "hbm=1GiB,ddr=2GiB"), {});
  ASSERT_TRUE(target) << target.status().message;
  EXPECT_EQ(target->budgets, (std::vector<std::uint64_t>{std::uint64_t{1} << 30, std::uint64_t{2} << 30}));
}

TEST(Target, MoreThanTheMachineHasIsRefused) {
  const auto machine = find_machine("knl-quad-flat");
  ASSERT_TRUE(machine);
  const auto target = make_target(*machine, request_for("knl-quad-flat", 4, "hbm=64GiB,ddr=2GiB"), {});
  ASSERT_FALSE(target);
  EXPECT_EQ(target.status().code, base::Code::no_space);
}

TEST(Target, MoreThanTheBooksOfANodeHavePlacesForIsRefused) {
  const std::string text = "pack:1 [numa(memory=40TB)] core:2 pu:1";
  const auto machine = find_machine(text);
  ASSERT_TRUE(machine) << machine.status().message;
  TargetRequest request = request_for(text, 2);
  request.typical_costs = true;
  const auto target = make_target(*machine, request, {});
  ASSERT_FALSE(target);
  EXPECT_EQ(target.status().code, base::Code::no_space);
  EXPECT_NE(target.status().message.find("less than 16 TiB of a node"), std::string::npos) << target.status().message;
  request.options.tiers = "memory=1GiB";
  EXPECT_TRUE(make_target(*machine, request, {}));
}

TEST(Target, AnUnknownMachineIsAnErrorThatListsTheNames) {
  const auto machine = find_machine("no-such-machine");
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.status().message.find("knl-snc4-flat"), std::string::npos) << machine.status().message;
}

TEST(Target, ADescriptionWithoutBandwidthsIsRefusedUnlessTypicalOnesWillDo) {
  const std::string text = "pack:1 [numa(memory=8GB)] core:2 pu:1";
  const auto machine = find_machine(text);
  ASSERT_TRUE(machine) << machine.status().message;
  TargetRequest request = request_for(text, 2);
  const auto target = make_target(*machine, request, {});
  ASSERT_FALSE(target);
  EXPECT_EQ(target.status().code, base::Code::bad_option);
  EXPECT_NE(target.status().message.find("--typical-costs"), std::string::npos) << target.status().message;
  request.typical_costs = true;
  EXPECT_TRUE(make_target(*machine, request, {}));
}

TEST(Target, TheSpeedOfAFileIsThatOfTheTracedOneOrHasToBeGiven) {
  const auto machine = find_machine("knl-quad-flat");
  ASSERT_TRUE(machine);
  TargetRequest request = request_for("knl-quad-flat", 2, "hbm=1GiB,file=/tmp:4GiB");
  EXPECT_FALSE(make_target(*machine, request, {}));
  request.file_gb_per_s = 2;
  const auto given = make_target(*machine, request, {});
  ASSERT_TRUE(given) << given.status().message;
  EXPECT_EQ(given->file_bytes_per_second, 2e9);
  request.file_gb_per_s = 0;
  RealRun real;
  real.tiers = {"memory", "file"};
  real.moved = {{0, 0, 0}, {3000, 0, 0}, {0, 0, 0}};
  real.moving_ns = {{0, 0, 0}, {1000, 0, 0}, {0, 0, 0}};
  const auto traced = make_target(*machine, request, real);
  ASSERT_TRUE(traced) << traced.status().message;
  EXPECT_DOUBLE_EQ(traced->file_bytes_per_second, 3e9);
}

}  // namespace
}  // namespace weir::sim
