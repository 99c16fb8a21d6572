// SPDX-License-Identifier: Apache-2.0

#include "machine/measured_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <locale>

namespace weir::machine {
namespace {

Machine described(const char* text) { return Machine::from_description(text).value(); }

// A cache folder of our own in place of the user's.
class MeasuredFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "weir_cache_XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_CACHE_HOME");
    std::filesystem::remove_all(folder_);
  }

  std::string folder_;
  Machine machine_ = described("numa:2(memory=8GB) core:2 pu:1");
  Costs costs_ = {{{10.5, 9, 100}, {5, 4, 180}}, {{5.25, 4, 181}, {10, 9, 101}}};
};

TEST_F(MeasuredFile, GivesBackWhatWasSaved) {
  ASSERT_TRUE(save_measured(machine_, costs_));
  const auto loaded = load_measured(machine_);
  ASSERT_TRUE(loaded);
  EXPECT_EQ((*loaded)[0][0].read_gb_per_s, 10.5);
  EXPECT_EQ((*loaded)[1][0].latency_ns, 181);
}

// As in German.
struct Commas : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST_F(MeasuredFile, TheLocaleOfTheProgramIsNotThatOfTheFile) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Commas));
  const bool saved{save_measured(machine_, costs_)};
  const auto loaded = load_measured(machine_);
  std::locale::global(before);
  ASSERT_TRUE(saved);
  ASSERT_TRUE(loaded);
  EXPECT_EQ((*loaded)[0][0].read_gb_per_s, 10.5);
  EXPECT_EQ((*loaded)[1][1].latency_ns, 101);
}

TEST_F(MeasuredFile, LeavesNoTemporaryFile) {
  ASSERT_TRUE(save_measured(machine_, costs_));
  ASSERT_TRUE(save_measured(machine_, costs_));
  const auto files = std::filesystem::directory_iterator(folder_ + "/weir");
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST_F(MeasuredFile, BelongsToOneMachine) {
  ASSERT_TRUE(save_measured(machine_, costs_));
  EXPECT_FALSE(load_measured(described("numa:2(memory=8GB) core:3 pu:1")));
  EXPECT_FALSE(load_measured(described("pack:1 [numa(memory=8GB)] [numa(memory=4GB)] core:4 pu:1")));
}

TEST_F(MeasuredFile, TheSizeOfMemoryDoesNotMatterBecauseKernelsReportItDifferentlyFromBootToBoot) {
  EXPECT_EQ(fingerprint(machine_), fingerprint(described("numa:2(memory=7GB) core:2 pu:1")));
}

TEST_F(MeasuredFile, ADamagedFileIsAsGoodAsNone) {
  ASSERT_TRUE(save_measured(machine_, costs_));
  for (const char* text : {"", "something else\n0 0 1 1 1\n",
                           "weir measured costs 1: node domain read_gb_per_s "
                           "write_gb_per_s latency_ns\n7 0 1 1 1\n",
                           "weir measured costs 1: node domain read_gb_per_s "
                           "write_gb_per_s latency_ns\n0 0 one\n"}) {
    std::ofstream(measured_path(machine_)) << text;
    EXPECT_FALSE(load_measured(machine_)) << text;
  }
}

TEST_F(MeasuredFile, AFolderThatCannotBeWrittenIsNamed) {
  std::ofstream(folder_ + "/file") << "";
  setenv("XDG_CACHE_HOME", (folder_ + "/file").c_str(), 1);
  const base::Status status = save_measured(machine_, costs_);
  EXPECT_EQ(status.code, base::Code::io_error);
  EXPECT_NE(status.message.find(folder_), std::string::npos);
}

TEST_F(MeasuredFile, ARelativeCacheFolderIsIgnoredAsTheStandardAsks) {
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_NE(measured_path(machine_).front(), 'r');
}

}  // namespace
}  // namespace weir::machine
