// SPDX-License-Identifier: Apache-2.0

// What is advised on machines that nobody here owns, for programs that are made by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../sim/made_program.hpp"
#include "advise/decide.hpp"
#include "advise/modes.hpp"
#include "advise/predict.hpp"
#include "advise/render.hpp"
#include "sim/known_machines.hpp"

namespace weir::tool::advise {
namespace {

using machine::CostSource;
using machine::Machine;
using machine::MemoryKind;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

Machine machine_named(const std::string& text) {
  auto machine = sim::find_machine(text);
  if (!machine) throw std::runtime_error(machine.status().message);
  return std::move(*machine);
}

MachineFacts facts_named(const std::string& text) { return facts_of(machine_named(text), text); }

ProgramFacts with_blocks(std::uint64_t bytes) {
  ProgramFacts program;
  program.name = "p";
  program.traced = true;
  program.block_bytes = bytes;
  return program;
}

std::vector<std::string> tiers_of(const std::vector<Setting>& settings) {
  std::vector<std::string> tiers;
  for (const Setting& setting : settings)
    if (std::find(tiers.begin(), tiers.end(), setting.tiers) == tiers.end()) tiers.push_back(setting.tiers);
  return tiers;
}

template <class Part>
bool all_have(const std::vector<Setting>& settings, Part Setting::*part, Part value) {
  return std::all_of(settings.begin(), settings.end(), [&](const Setting& s) { return s.*part == value; });
}

Predicted predicted(Strategy strategy, int workers, double seconds, std::uint64_t moved = 0) {
  Setting setting;
  setting.strategy = strategy;
  setting.workers = workers;
  return {.setting = setting, .seconds = seconds, .moved = moved, .failure = ""};
}

// ---- Facts ----

TEST(MachineFacts, MemoryOfAKindIsAddedUpFromWhereItIsLocal) {
  const MachineFacts knl = facts_named("knl-snc4-flat");
  ASSERT_EQ(knl.kinds.size(), 2u);
  EXPECT_EQ(knl.kinds[0].kind, MemoryKind::hbm);
  EXPECT_EQ(knl.kinds[0].nodes, 4);
  EXPECT_DOUBLE_EQ(knl.kinds[0].read_gb_per_s, 420);
  EXPECT_DOUBLE_EQ(knl.kinds[1].read_gb_per_s, 88);
  EXPECT_EQ(knl.domains, 4);
  EXPECT_EQ(knl.source, CostSource::claimed);
}

TEST(MachineFacts, OfGraceHopperTheGpusMemoryIsNeitherFastNorFirst) {
  const MachineFacts grace = facts_named("grace-hopper");
  ASSERT_EQ(grace.kinds.size(), 2u);
  EXPECT_EQ(grace.kinds[0].kind, MemoryKind::ddr);
  EXPECT_EQ(grace.kinds[1].kind, MemoryKind::device);
}

TEST(MachineFacts, ACacheInFrontOfMemoryIsSeen) {
  const MachineFacts knl = facts_named("knl-quad-cache");
  ASSERT_EQ(knl.kinds.size(), 1u);
  EXPECT_EQ(knl.kinds[0].side_cache.count, 16'000'000'000u);
}

TEST(ProgramFacts, BlocksAreHotterTheMoreOftenTheyAreUsed) {
  sim::MadeProgram made;
  const std::uint32_t cold = made.add_block(8 * sim::kPage), hot = made.add_block(sim::kPage);
  made.add_task(100, {sim::MadeProgram::block(cold, Mode::inout), sim::MadeProgram::block(hot, Mode::in)});
  made.add_task(100, {sim::MadeProgram::block(hot, Mode::in)});
  made.add_task(100, {sim::MadeProgram::block(hot, Mode::in)});
  made.wait();
  const ProgramFacts facts = facts_of(made.finish(), "made");
  EXPECT_EQ(facts.tasks, 3u);
  EXPECT_EQ(facts.block_bytes, 9 * sim::kPage);
  EXPECT_EQ(facts.bytes_per_task(), 11 * sim::kPage / 3);
  ASSERT_EQ(facts.block_names.size(), 2u);
  EXPECT_EQ(facts.block_names[0].name, "b1");
  EXPECT_EQ(facts.block_names[0].used, 3 * sim::kPage);
}

// ---- Candidates ----

TEST(Candidates, OneKindOfMemoryInOneDomainLeavesNothingToChooseButWorkers) {
  const MachineFacts laptop = facts_named("laptop");
  const auto settings = memory_candidates(laptop, with_blocks(kGiB), {});
  ASSERT_EQ(settings.size(), 1u);
  EXPECT_EQ(settings[0].tiers, "");
  EXPECT_TRUE(policy_candidates(settings[0], laptop, {}).empty());
  EXPECT_EQ(worker_candidates(settings[0], laptop, with_blocks(kGiB), {}).size(), 2u) << "1 and 2, beside all 4";
}

TEST(Candidates, TiersAreAllOfThemAndThoseThatHoldTheProgramAlone) {
  const MachineFacts knl = facts_named("knl-quad-flat");
  EXPECT_EQ(tiers_of(memory_candidates(knl, with_blocks(8 * kGiB), {})),
            (std::vector<std::string>{"hbm,ddr", "hbm", "ddr"}));
  EXPECT_EQ(tiers_of(memory_candidates(knl, with_blocks(40 * kGiB), {})), (std::vector<std::string>{"hbm,ddr", "ddr"}));
  EXPECT_EQ(tiers_of(memory_candidates(knl, with_blocks(95 * kGiB), {})), (std::vector<std::string>{"hbm,ddr"}));
  EXPECT_EQ(tiers_of(memory_candidates(facts_named("two-sockets-cxl"), with_blocks(1100 * kGiB), {})),
            (std::vector<std::string>{"ddr,cxl"}));
}

TEST(Candidates, WhatTheUserHasSaidIsNotUpForChoice) {
  Fixed fixed;
  fixed.tiers = "hbm=1GiB,ddr";
  fixed.strategy = Strategy::single;
  fixed.workers = 7;
  const MachineFacts knl = facts_named("knl-snc4-flat");
  const auto settings = memory_candidates(knl, with_blocks(8 * kGiB), fixed);
  ASSERT_FALSE(settings.empty());
  EXPECT_TRUE(all_have(settings, &Setting::tiers, std::string("hbm=1GiB,ddr")));
  EXPECT_TRUE(all_have(settings, &Setting::strategy, Strategy::single));
  EXPECT_TRUE(all_have(settings, &Setting::workers, 7));
  EXPECT_TRUE(worker_candidates(settings[0], knl, with_blocks(8 * kGiB), fixed).empty());
}

TEST(Candidates, WorkersAreBoundUnlessTheyShareCoresOrHaveAQuota) {
  MachineFacts machine = facts_named("laptop");
  EXPECT_EQ(binding_for(machine, 4, {}).bind, Bind::core);
  EXPECT_EQ(binding_for(machine, 5, {}).bind, Bind::none);
  machine.cpu_quota = 1.5;
  EXPECT_EQ(binding_for(machine, 2, {}).bind, Bind::none);
  Fixed fixed;
  fixed.bind = Bind::domain;
  EXPECT_EQ(binding_for(machine, 2, fixed).bind, Bind::domain);
}

// ---- The decision ----

TEST(Decision, TheFastestIsAdvisedAndTheOthersAreSaid) {
  const MachineFacts laptop = facts_named("laptop");
  const Advice advice = decide(
      laptop, with_blocks(kGiB),
      {predicted(Strategy::ahead, 4, 2.0), predicted(Strategy::off, 4, 1.0), predicted(Strategy::off, 2, 1.5)}, {});
  EXPECT_EQ(advice.setting.strategy, Strategy::off);
  EXPECT_EQ(advice.setting.workers, 4);
  EXPECT_DOUBLE_EQ(advice.seconds, 1);
  const auto strategy = std::find_if(advice.choices.begin(), advice.choices.end(),
                                     [](const Choice& choice) { return choice.part == "strategy"; });
  ASSERT_NE(strategy, advice.choices.end());
  EXPECT_NE(strategy->why.find("ahead would take 2.00 times as long"), std::string::npos) << strategy->why;
  ASSERT_EQ(strategy->rows.size(), 2u);
  EXPECT_EQ(strategy->rows[0].value, "off");
}

TEST(Decision, OfEqualsThePlainestIsAdvisedThenTheOneThatMovesLeast) {
  const MachineFacts laptop = facts_named("laptop");
  const std::vector<Predicted> equals{predicted(Strategy::multi, 4, 1.00), predicted(Strategy::ahead, 4, 1.01),
                                      predicted(Strategy::ahead, 2, 1.015)};
  EXPECT_EQ(decide(laptop, with_blocks(1), equals, {}).setting, equals[1].setting);
  const std::vector<Predicted> movers{predicted(Strategy::multi, 4, 1.00, 900),
                                      predicted(Strategy::single, 4, 1.01, 100)};
  EXPECT_EQ(decide(laptop, with_blocks(1), movers, {}).setting.strategy, Strategy::single);
}

TEST(Decision, OfEqualTiersAllAreThePlainestThenTheFastestAlone) {
  const MachineFacts machine = facts_named("two-sockets-cxl");
  const auto with_tiers = [](const char* tiers, double seconds) {
    Predicted each = predicted(Strategy::ahead, 64, seconds);
    each.setting.tiers = tiers;
    return each;
  };
  const Predicted all = with_tiers("ddr,cxl", 1.01), ddr = with_tiers("ddr", 1.005), cxl = with_tiers("cxl", 1);
  const Advice advice = decide(machine, with_blocks(kGiB), {all, ddr, cxl}, {});
  EXPECT_EQ(advice.setting.tiers, "ddr,cxl");
  EXPECT_NE(advice.choices.front().why.find("this one is the plainest"), std::string::npos);
  EXPECT_EQ(decide(machine, with_blocks(kGiB), {ddr, cxl}, {}).setting.tiers, "ddr");
  const Advice forced = decide(machine, with_blocks(kGiB), {with_tiers("ddr", 2), cxl}, {});
  EXPECT_NE(forced.choices.front().why.find("of cxl"), std::string::npos) << "the memory that is advised";
}

TEST(Decision, WhatCannotBeRunIsNeverAdvised) {
  Predicted broken = predicted(Strategy::ahead, 4, 0);
  broken.failure = "no room";
  const MachineFacts laptop = facts_named("laptop");
  EXPECT_EQ(decide(laptop, with_blocks(1), {broken, predicted(Strategy::off, 1, 9)}, {}).setting.strategy,
            Strategy::off);
  EXPECT_EQ(decide(laptop, with_blocks(1), {broken}, {}).setting.workers, 0);
  EXPECT_EQ(decide(laptop, with_blocks(1), {}, {}).setting.workers, 0);
}

TEST(Decision, TriedAreTheAdvisedTheBestOfEachStrategyAndTheNextBest) {
  const MachineFacts laptop = facts_named("laptop");
  const Advice advice = decide(laptop, with_blocks(1),
                               {predicted(Strategy::ahead, 4, 1.0), predicted(Strategy::ahead, 2, 1.5),
                                predicted(Strategy::off, 4, 3.0), predicted(Strategy::ahead, 1, 2.0)},
                               {});
  const auto chosen = worth_trying(advice, 3);
  ASSERT_EQ(chosen.size(), 3u);
  EXPECT_EQ(chosen[0].workers, 4);
  EXPECT_EQ(chosen[1].strategy, Strategy::off);
  EXPECT_EQ(chosen[2].workers, 2);
}

TEST(Trials, TheLeastMedianWinsAndFailuresDoNot) {
  Trial failed, slow, fast;
  failed.failure = "exit status 3";
  slow.seconds = {2, 1, 9};
  fast.seconds = {1.5, 1.75};
  EXPECT_EQ(winner_of({failed, slow, fast}), 2u);
  EXPECT_EQ(winner_of({failed}), std::nullopt);
}

// ---- The guide's table ----

TEST(Modes, AFlatKnlHasAllFourOfWhichCacheNeedsABoot) {
  const auto rows = mode_rows(facts_named("knl-quad-flat"), with_blocks(8 * kGiB), {});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_TRUE(rows[0].is_there && rows[1].is_there && !rows[2].is_there && rows[3].is_there);
  EXPECT_DOUBLE_EQ(rows[0].gb_per_s, 88);
  EXPECT_DOUBLE_EQ(rows[1].gb_per_s, 420);
  EXPECT_NE(rows[1].here.find("fit"), std::string::npos);
  EXPECT_EQ(rows[3].capacity.count, rows[0].capacity.count + rows[1].capacity.count);
}

TEST(Modes, WhatDoesNotFitIsSaid) {
  const auto rows = mode_rows(facts_named("knl-quad-flat"), with_blocks(20 * kGiB), {});
  EXPECT_NE(rows[1].here.find("do not fit"), std::string::npos) << rows[1].here;
  EXPECT_EQ(rows[0].here.find("do not fit"), std::string::npos) << rows[0].here;
}

TEST(Modes, AKnlInCacheModeIsKnownAndALaptopHasOneMode) {
  const auto knl = mode_rows(facts_named("knl-quad-cache"), with_blocks(kGiB), {});
  EXPECT_FALSE(knl[0].is_there);
  EXPECT_TRUE(knl[2].is_there);
  EXPECT_FALSE(knl[3].is_there);
  const auto laptop = mode_rows(facts_named("laptop"), with_blocks(kGiB), {});
  EXPECT_TRUE(laptop[0].is_there);
  EXPECT_FALSE(laptop[1].is_there || laptop[2].is_there || laptop[3].is_there);
}

TEST(CacheMode, HasTheFastMemorysSpeedForWhatItHoldsAndLessThanOrdinaryMemoryBeyondTwice) {
  const Machine knl = machine_named("knl-quad-flat");
  const auto at = [&](std::uint64_t bytes) { return cache_mode_costs(knl, bytes)->cost(0, DomainId{0}); };
  EXPECT_DOUBLE_EQ(at(8 * kGiB).read_gb_per_s, 420);
  EXPECT_LT(at(64 * kGiB).read_gb_per_s, 88);
  EXPECT_GT(at(22 * kGiB).read_gb_per_s, at(64 * kGiB).read_gb_per_s);
  EXPECT_LT(at(22 * kGiB).read_gb_per_s, 420);
  EXPECT_GT(at(64 * kGiB).latency_ns, 130) << "a miss looks into both";
  EXPECT_FALSE(cache_mode_costs(machine_named("laptop"), kGiB).has_value());
}

// ---- Programs that are not Weir's ----

std::string mode_for(const std::string& machine, std::uint64_t bytes, int threads) {
  const auto rows = memory_rows(machine_named(machine), bytes, threads);
  return rows[best_row(rows)].mode;
}

TEST(MemoryRows, ManyThreadsWantFastMemoryAndOneThreadTheNearest) {
  EXPECT_EQ(mode_for("knl-quad-flat", 8 * kGiB, 64), "fast");
  EXPECT_EQ(mode_for("knl-quad-flat", 8 * kGiB, 1), "") << "one core cannot use its bandwidth, and it is farther";
}

TEST(MemoryRows, WhereFastMemoryIsInDomainsEachTakesItsOwn) {
  EXPECT_EQ(mode_for("xeon-max-flat", 20 * kGiB, 56), "local-fast");
}

TEST(MemoryRows, WhatDoesNotFitTakesBoth) {
  const auto rows = memory_rows(machine_named("knl-quad-flat"), 40 * kGiB, 64);
  const MemoryRow& advised = rows[best_row(rows)];
  EXPECT_EQ(advised.mode, "fast");
  EXPECT_GT(advised.fast_bytes, 14 * kGiB);
  EXPECT_LT(advised.fast_bytes, 16 * kGiB);
}

TEST(MemoryRows, MemoryThatIsSlowerForTheCoresIsLeftAlone) {
  EXPECT_EQ(mode_for("grace-hopper", 40 * kGiB, 72), "");
  EXPECT_EQ(mode_for("two-sockets-cxl", 40 * kGiB, 64), "");
  EXPECT_EQ(mode_for("laptop", kGiB, 4), "");
  EXPECT_EQ(mode_for("mi300a", 40 * kGiB, 96), "");
}

TEST(MemoryRows, AProgramThatTakesAllCpusTakesAllCoresElsewhereAndOtherProgramsWhatTheyHad) {
  EXPECT_EQ(threads_there(2, 2, 56), 56);
  EXPECT_EQ(threads_there(3, 2, 56), 56) << "one of its threads helps";
  EXPECT_EQ(threads_there(8, 16, 56), 8);
  EXPECT_EQ(threads_there(16, 2, 56), 16);
  EXPECT_EQ(threads_there(64, 64, 8), 8);
  EXPECT_EQ(threads_there(128, 32, 64), 64);
}

// ---- All of it, simulated ----

// Tasks that go through their blocks as fast as one core of the machine on which they ran, again and again.
const sim::Program& sweeps(sim::MadeProgram& made, std::uint64_t block_bytes, int blocks, int rounds) {
  const auto ns = static_cast<std::uint64_t>(static_cast<double>(block_bytes) / 8);  // 8 GB/s
  std::vector<std::uint32_t> all;
  for (int i = 0; i < blocks; ++i) all.push_back(made.add_block(block_bytes));
  for (int round = 0; round < rounds; ++round)
    for (const std::uint32_t block : all) made.add_task(ns, {sim::MadeProgram::block(block, Mode::in)});
  made.wait();
  return made.finish();
}

struct Simulated {
  Advice advice;
  std::vector<ModeRow> modes;
};

Simulated advise_for(const std::string& name, const sim::Program& program) {
  PredictRequest request{machine_named(name), machine_named("laptop"), name, "laptop", {}, 0};
  Predictor predictor(std::move(request));
  const base::Status status = predictor.add(program);
  if (!status) throw std::runtime_error(status.message);
  const MachineFacts machine = facts_named(name);
  const ProgramFacts facts = facts_of(program, "made");
  const auto nothing = [](std::size_t) {};
  auto all = predictor.predict(memory_candidates(machine, facts, {}), nothing);
  const auto add = [&](const std::vector<Setting>& settings) {
    for (Predicted& each : predictor.predict(settings, nothing)) all.push_back(std::move(each));
  };
  add(policy_candidates(decide(machine, facts, all, {}).setting, machine, {}));
  add(worker_candidates(decide(machine, facts, all, {}).setting, machine, facts, {}));
  return {decide(machine, facts, all, {}), mode_rows(machine, facts, all)};
}

TEST(SimulatedAdvice, OnKnlWhatFitsGoesToFastMemoryAndIsFasterThanInDdr) {
  sim::MadeProgram made;
  const Simulated knl = advise_for("knl-quad-flat", sweeps(made, kGiB / 16, 64, 2));
  EXPECT_TRUE(knl.advice.setting.tiers.starts_with("hbm")) << knl.advice.setting.tiers;
  EXPECT_EQ(knl.advice.setting.workers, 64);
  ASSERT_TRUE(knl.modes[0].seconds && knl.modes[1].seconds && knl.modes[3].seconds);
  EXPECT_GT(*knl.modes[0].seconds, 1.5 * *knl.modes[1].seconds);
}

TEST(SimulatedAdvice, OnXeonMaxBlocksGoToTheFastMemoryOfTheTasksDomain) {
  sim::MadeProgram made;
  const Simulated max = advise_for("xeon-max-flat", sweeps(made, kGiB / 16, 56, 2));
  EXPECT_TRUE(max.advice.setting.tiers.starts_with("hbm")) << max.advice.setting.tiers;
  for (const Predicted& each : max.advice.ranked) EXPECT_TRUE(each.failure.empty()) << each.failure;
}

TEST(SimulatedAdvice, OnGraceHopperTasksOfTheProcessorStayOutOfTheGpusMemory) {
  sim::MadeProgram made;
  const Simulated grace = advise_for("grace-hopper", sweeps(made, kGiB, 72, 2));
  EXPECT_EQ(grace.advice.setting.tiers, "ddr,device");
  EXPECT_EQ(grace.advice.ranked.front().moved, 0u);
}

TEST(SimulatedAdvice, ACxlExpanderTakesOnlyWhatDdrCannotHold) {
  sim::MadeProgram small, large;
  EXPECT_EQ(advise_for("two-sockets-cxl", sweeps(small, kGiB, 64, 2)).advice.setting.tiers, "ddr,cxl");
  const Simulated beyond = advise_for("two-sockets-cxl", sweeps(large, 16 * kGiB, 66, 2));
  EXPECT_EQ(beyond.advice.setting.tiers, "ddr,cxl");
  EXPECT_FALSE(beyond.modes[0].seconds.has_value());
}

TEST(SimulatedAdvice, EqualInputGivesEqualAdvice) {
  sim::MadeProgram one, other;
  const Simulated first = advise_for("two-sockets-cxl", sweeps(one, kGiB / 4, 40, 1));
  const Simulated second = advise_for("two-sockets-cxl", sweeps(other, kGiB / 4, 40, 1));
  EXPECT_EQ(first.advice.setting, second.advice.setting);
  EXPECT_EQ(first.advice.seconds, second.advice.seconds);
}

}  // namespace
}  // namespace weir::tool::advise
