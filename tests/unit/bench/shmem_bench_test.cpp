// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "bench/shmem/measure.hpp"
#include "bench/shmem/plan.hpp"
#include "bench/shmem/render.hpp"

namespace weir::bench {
namespace {

ShmemPlan plan_of(std::vector<std::string> libraries) {
  ShmemPlan plan{shmem_benches(), {}, {2, 8}, {}};
  for (std::string& name : libraries) plan.libraries.push_back({std::move(name), "/program", {"start"}, {}});
  return plan;
}

std::string line_of(const std::string& bench, std::size_t bytes, const std::string& unit, double value) {
  return "{\"bench\":\"" + bench + "\",\"bytes\":" + std::to_string(bytes) + ",\"unit\":\"" + unit +
         "\",\"value\":" + std::to_string(value) + ",\"right\":true}\n";
}

// The same with what a line took before and after.
std::string line_at(const std::string& bench, double value, double before, double after) {
  std::string text = line_of(bench, 8, "us", value);
  return text.replace(text.find(",\"right\""), 0,
                      ",\"line\":[" + std::to_string(before) + "," + std::to_string(after) + "]");
}

void add(ShmemReport& report, const ShmemPlan& plan, std::size_t library, int ranks, const std::string& output) {
  bool done = false;
  ASSERT_TRUE(add_shmem_output(report, plan, library, ranks, output, done));
}

TEST(ShmemBench, a_run_is_the_launcher_with_the_number_of_ranks_and_the_program_with_its_limits_and_benchmarks) {
  const Library library{"x", "/p", {"mpirun", "--oversubscribe"}, {}};
  const std::vector<std::string> expected = {"mpirun", "--oversubscribe", "-n", "8", "/p", "60", "300", "put", "get"};
  EXPECT_EQ(command_of(library, 8, {"put", "get"}, ShmemAmount::quick()), expected);
}

TEST(ShmemBench, lines_of_launchers_and_libraries_among_the_results_are_passed_over) {
  const ShmemPlan plan = plan_of({"weir"});
  ShmemReport report;
  bool done = false;
  const std::string output = "Warning: something\n" + line_of("put", 8, "us", 0.5) + "{\"done\":true}\nBye\n";
  ASSERT_TRUE(add_shmem_output(report, plan, 0, 2, output, done));
  EXPECT_TRUE(done);
  ASSERT_EQ(report.rows.size(), 1u);
  EXPECT_DOUBLE_EQ(*report.rows[0].median(0), 0.5);
}

TEST(ShmemBench, a_line_that_is_cut_off_is_an_error_and_what_came_before_it_counts) {
  const ShmemPlan plan = plan_of({"weir"});
  ShmemReport report;
  bool done = false;
  const auto status = add_shmem_output(report, plan, 0, 2, line_of("put", 8, "us", 1) + "{\"bench\":\"ge", done);
  EXPECT_FALSE(status);
  EXPECT_FALSE(done);
  EXPECT_EQ(report.rows.size(), 1u);
}

TEST(ShmemBench, a_wrong_result_is_a_failure_and_no_value) {
  const ShmemPlan plan = plan_of({"weir"});
  ShmemReport report;
  add(report, plan, 0, 2, "{\"bench\":\"sum_1\",\"bytes\":8,\"unit\":\"us\",\"value\":1,\"right\":false}\n");
  EXPECT_TRUE(report.rows.empty());
  ASSERT_EQ(report.troubles.size(), 1u);
  EXPECT_FALSE(report.troubles[0].after_all);
  EXPECT_NE(report.troubles[0].text.find("sum_1"), std::string::npos);
}

TEST(ShmemBench, a_time_is_compared_with_the_shortest_of_the_others) {
  const ShmemPlan plan = plan_of({"weir", "slow", "fast"});
  ShmemReport report;
  add(report, plan, 0, 2, line_of("put", 8, "us", 0.3));
  add(report, plan, 1, 2, line_of("put", 8, "us", 1));
  add(report, plan, 2, 2, line_of("put", 8, "us", 0.4));
  const auto is = reached(report, report.rows[0]);
  ASSERT_TRUE(is);
  EXPECT_DOUBLE_EQ(is->value, 0.75);
  EXPECT_EQ(is->best, 2u);
  EXPECT_TRUE(is->enough);  // at most 0.85
  EXPECT_NE(shmem_table(plan, report).find("0.75 of fast (at most 0.85: reached)"), std::string::npos);
}

TEST(ShmemBench, near_processes_are_compared_with_near_ones_and_far_with_far) {
  const ShmemPlan plan = plan_of({"weir", "other"});
  ShmemReport report;
  for (const double value : {0.18, 0.2, 0.22}) add(report, plan, 0, 2, line_at("barrier_all", value, 0.19, 0.2));
  add(report, plan, 0, 2, line_at("barrier_all", 0.06, 0.05, 0.052));
  for (const double value : {0.12, 0.12}) add(report, plan, 1, 2, line_at("barrier_all", value, 0.051, 0.05));
  add(report, plan, 1, 2, line_at("barrier_all", 0.8, 0.2, 0.21));
  const auto is = reached(report, report.rows[0]);
  ASSERT_TRUE(is);
  ASSERT_EQ(is->places.size(), 2u);
  EXPECT_EQ(is->places[0].place, Place::near);
  EXPECT_DOUBLE_EQ(is->places[0].value, 0.5);
  EXPECT_EQ(is->places[0].own, 1u);
  EXPECT_EQ(is->places[0].others, 2u);
  EXPECT_EQ(is->places[1].place, Place::far);
  EXPECT_DOUBLE_EQ(is->places[1].value, 0.25);
  EXPECT_DOUBLE_EQ(is->value, 0.5);  // the worst counts
  EXPECT_TRUE(is->enough);           // at most 0.65
  const std::string table = shmem_table(plan, report);
  EXPECT_NE(table.find("0.50 of other near (1, 2), 0.25 of other far (3, 1) (at most 0.65: reached)"),
            std::string::npos);
}

TEST(ShmemBench, a_process_that_was_moved_or_interrupted_does_not_count) {
  const ShmemPlan plan = plan_of({"weir", "other"});
  ShmemReport report;
  add(report, plan, 0, 2, line_at("put", 1, 0.05, 0.05) + line_at("get", 1, 0.2, 0.2));
  add(report, plan, 0, 2, line_at("put", 9, 0.05, 0.2));   // moved
  add(report, plan, 0, 2, line_at("put", 9, 0.05, 30.0));  // interrupted
  add(report, plan, 1, 2, line_at("put", 2, 0.05, 0.05));
  const auto is = reached(report, report.rows[0]);
  ASSERT_TRUE(is);
  ASSERT_EQ(is->places.size(), 1u);
  EXPECT_DOUBLE_EQ(is->value, 0.5);
  EXPECT_EQ(is->places[0].own, 1u);
}

TEST(ShmemBench, lines_that_differ_little_are_of_one_kind) {
  const ShmemPlan plan = plan_of({"weir", "other"});
  ShmemReport report;
  add(report, plan, 0, 2, line_at("put", 1, 0.05, 0.06));
  add(report, plan, 1, 2, line_at("put", 2, 0.055, 0.07));
  const auto is = reached(report, report.rows[0]);
  ASSERT_TRUE(is);
  ASSERT_EQ(is->places.size(), 1u);
  EXPECT_EQ(is->places[0].place, Place::only);
  EXPECT_EQ(shmem_table(plan, report).find("near, far"), std::string::npos);
}

TEST(ShmemBench, a_library_that_knows_no_lines_is_compared_by_all_its_processes) {
  const ShmemPlan plan = plan_of({"weir", "other"});
  ShmemReport report;
  add(report, plan, 0, 2, line_at("put", 1, 0.05, 0.05));
  add(report, plan, 0, 2, line_at("put", 3, 0.2, 0.2));
  for (const double value : {4.0, 6.0, 5.0}) add(report, plan, 1, 2, line_of("put", 8, "us", value));
  const auto is = reached(report, report.rows[0]);
  ASSERT_TRUE(is);
  ASSERT_EQ(is->places.size(), 2u);
  EXPECT_DOUBLE_EQ(is->places[0].value, 0.2);
  EXPECT_DOUBLE_EQ(is->places[1].value, 0.6);
}

TEST(ShmemBench, a_rate_is_compared_with_the_highest_of_the_others) {
  const ShmemPlan plan = plan_of({"weir", "slow", "fast"});
  ShmemReport report;
  add(report, plan, 0, 2, line_of("rate_1", 8, "M/s", 20));
  add(report, plan, 1, 2, line_of("rate_1", 8, "M/s", 5));
  add(report, plan, 2, 2, line_of("rate_1", 8, "M/s", 10));
  const auto is = reached(report, report.rows[0]);
  ASSERT_TRUE(is);
  EXPECT_DOUBLE_EQ(is->value, 0.5);
  EXPECT_EQ(is->best, 2u);
}

TEST(ShmemBench, a_bandwidth_is_compared_with_memcpy_of_the_same_size_in_the_same_library) {
  const ShmemPlan plan = plan_of({"weir", "other"});
  constexpr std::size_t kMiB = 1 << 20;
  ShmemReport report;
  add(report, plan, 0, 2, line_of("put_bandwidth", kMiB, "GB/s", 9) + line_of("memcpy", kMiB, "GB/s", 10));
  add(report, plan, 1, 2, line_of("put_bandwidth", kMiB, "GB/s", 20) + line_of("memcpy", kMiB, "GB/s", 5));
  const auto is = reached(report, report.rows[0]);
  ASSERT_TRUE(is);
  EXPECT_DOUBLE_EQ(is->value, 0.9);
  EXPECT_FALSE(is->enough);  // at least 0.95
  EXPECT_NE(shmem_table(plan, report).find("MISSED"), std::string::npos);
}

TEST(ShmemBench, with_more_ranks_a_collective_is_compared_with_itself_for_each_rank) {
  const ShmemPlan plan = plan_of({"weir"});
  ShmemReport report;
  add(report, plan, 0, 2, line_of("barrier_all", 8, "us", 0.5));
  add(report, plan, 0, 8, line_of("barrier_all", 8, "us", 4));
  EXPECT_FALSE(per_rank(report, report.rows[0], 0));
  EXPECT_DOUBLE_EQ(*per_rank(report, report.rows[1], 0), 2);
}

TEST(ShmemBench, without_weir_nothing_is_compared) {
  const ShmemPlan plan = plan_of({"one", "other"});
  ShmemReport report;
  add(report, plan, 0, 2, line_of("put", 8, "us", 1));
  add(report, plan, 1, 2, line_of("put", 8, "us", 2));
  EXPECT_EQ(target_text(plan, report, report.rows[0]), "");
}

TEST(ShmemBench, a_library_without_a_value_is_named_with_the_reason) {
  ShmemPlan plan = plan_of({"weir", "gone"});
  plan.libraries[1].missing = "there was no oshcc";
  ShmemReport report;
  add(report, plan, 0, 2, line_of("put", 8, "us", 0.3));
  report.troubles.push_back({1, 0, false, plan.libraries[1].missing});
  report.troubles.push_back({0, 2, true, "it crashed"});
  const std::string table = shmem_table(plan, report);
  EXPECT_NE(table.find("not measured: gone: there was no oshcc"), std::string::npos);
  EXPECT_NE(table.find("could not end: weir with 2 PEs: it crashed"), std::string::npos);
  EXPECT_NE(shmem_plan_text(plan).find("there was no oshcc"), std::string::npos);
}

TEST(ShmemBench, a_number_of_pes_or_a_library_without_values_has_no_table_and_no_place_in_the_picture) {
  const ShmemPlan plan = plan_of({"weir", "other"});
  ShmemReport report;
  add(report, plan, 0, 2, line_of("put", 8, "us", 0.3));
  EXPECT_EQ(shmem_table(plan, report).find("8 PEs"), std::string::npos);
  const std::string script = shmem_plot(plan, report).script;
  EXPECT_NE(script.find("set multiplot layout 1,1"), std::string::npos);
  EXPECT_NE(script.find("row \"weir\"\n"), std::string::npos);
  EXPECT_EQ(shmem_plot(plan, {}).script, "");
}

TEST(ShmemBench, a_bandwidth_that_was_measured_alone_is_a_panel_alone) {
  const ShmemPlan plan = plan_of({"weir", "other"});
  ShmemReport report;
  add(report, plan, 0, 2, line_of("put_bandwidth", 8, "GB/s", 0.3));
  const std::string script = shmem_plot(plan, report).script;
  EXPECT_NE(script.find("set multiplot layout 1,1"), std::string::npos);
  EXPECT_NE(script.find("set title 'put'"), std::string::npos);
  EXPECT_EQ(script.find("set title 'get'"), std::string::npos);
}

TEST(ShmemBench, a_launcher_is_for_a_compiler_that_is_given) {
  EXPECT_TRUE(check_launchers({"mine=oshcc"}, {"mine=oshrun"}));
  const auto alone = check_launchers({"mine=oshcc"}, {"mine=oshrun", "y=foo"});
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.message.find("--run y=foo"), std::string::npos);
}

TEST(ShmemBench, a_missing_library_is_refused_only_when_it_is_named) {
  const std::vector<Library> all = {{"weir", "/p", {"x"}, {}}, {"gone", {}, {}, "there was no oshcc"}};
  EXPECT_EQ(chosen_libraries("", all)->size(), 2u);
  const auto named = chosen_libraries("gone", all);
  ASSERT_FALSE(named);
  EXPECT_NE(named.status().message.find("there was no oshcc"), std::string::npos);
  EXPECT_FALSE(chosen_libraries("wear", all));
}

TEST(ShmemBench, numbers_of_pes_are_refused_outside_of_what_the_programs_take) {
  EXPECT_EQ(*chosen_ranks("2,8,2"), (std::vector<int>{2, 8}));
  for (const char* wrong : {"1", "65", "", "2,", "two"}) EXPECT_FALSE(chosen_ranks(wrong)) << wrong;
}

TEST(ShmemBench, a_compiler_needs_a_name_of_its_own_and_a_launcher) {
  EXPECT_FALSE(compile_library("oshcc", {}, "/tmp"));
  EXPECT_FALSE(compile_library("weir=oshcc", {"weir=oshrun"}, "/tmp"));
  const auto alone = compile_library("mine=oshcc", {"other=oshrun"}, "/tmp");
  ASSERT_FALSE(alone);
  EXPECT_NE(alone.status().message.find("--run mine=COMMAND"), std::string::npos);
}

}  // namespace
}  // namespace weir::bench
