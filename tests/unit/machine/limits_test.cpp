// SPDX-License-Identifier: Apache-2.0

#include "machine/limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace weir::machine {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Limits whole_machine() {
  Limits limits;
  limits.online_cpus = limits.allowed_cpus = limits.usable_cpus = 64;
  return limits;
}

TEST(Limits, AWholeMachineHasNone) { EXPECT_THAT(explain(whole_machine()), IsEmpty()); }

TEST(Limits, CpusetAndMaskAreToldApart) {
  Limits limits = whole_machine();
  limits.allowed_cpus = 32;
  limits.usable_cpus = 8;
  EXPECT_THAT(explain(limits), ElementsAre(HasSubstr("cgroup cpuset: 32 of 64"), HasSubstr("8 of 32")));
}

TEST(Limits, AQuotaAndForbiddenMemoryAreNamed) {
  Limits limits = whole_machine();
  limits.cpu_quota = 1.5;
  limits.forbidden_nodes = {1, 3};
  EXPECT_THAT(explain(limits), ElementsAre(HasSubstr("1.50 cores"), HasSubstr("NUMA node 1, 3")));
}

TEST(Limits, WhatLimitsMemoryIsNamed) {
  Limits limits = whole_machine();
  limits.memory = {std::uint64_t{217} << 20};
  limits.memory_by = "its cgroup";
  EXPECT_THAT(explain(limits), ElementsAre("memory: its cgroup leaves 217 MiB"));
}

TEST(Limits, SlurmThatGrantedLessThanItEnforcesIsPointedOut) {
  Limits limits = whole_machine();
  limits.slurm_cpus = 4;
  limits.slurm_variable = "SLURM_CPUS_PER_TASK";
  EXPECT_THAT(explain(limits), ElementsAre(AllOf(HasSubstr("SLURM_CPUS_PER_TASK=4"), HasSubstr("WEIR_WORKERS=4"))));
  limits.usable_cpus = limits.allowed_cpus = limits.online_cpus = 4;
  EXPECT_THAT(explain(limits), IsEmpty());
}

TEST(Limits, DescribedMachinesKnowNothingOfTheEnvironment) {
  setenv("SLURM_CPUS_ON_NODE", "1", 1);
  const Limits limits = limits_of(Machine::from_description("core:4 pu:2").value());
  unsetenv("SLURM_CPUS_ON_NODE");
  EXPECT_EQ(limits.usable_cpus, 8);
  EXPECT_THAT(explain(limits), IsEmpty());
}

}  // namespace
}  // namespace weir::machine
