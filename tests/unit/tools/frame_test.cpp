// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <cstdlib>
#include <iterator>
#include <sstream>

#include "fake_program.hpp"

namespace weir::tool::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A mistake is one line on standard error, nothing on standard output, and exit status 2.
void expect_mistake(const Outcome& outcome, const std::string& line) {
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, "weir: " + line + "\n");
}

TEST(Program, RunsAVerbWithItsOptions) {
  const Outcome outcome = weir({"boat", "--length", "7", "--workers", "3"});
  EXPECT_EQ(outcome.status, kDone);
  EXPECT_EQ(outcome.out, "boat of 7 m, 3 workers\n");
  EXPECT_EQ(outcome.error, "");
}

TEST(Program, PrintsOneJsonArrayAndNothingElse) {
  const Outcome outcome = weir({"boat", "--json", "--workers=2"});
  EXPECT_EQ(Json::parse(outcome.out).dump(), R"([{"length_m":12,"workers":2}])");
}

TEST(Program, PrintsTheArrayWhenResultsDisagree) {
  const Outcome outcome = weir({"boat", "--json", "--length", "13"});
  EXPECT_EQ(outcome.status, kFailed);
  EXPECT_EQ(Json::parse(outcome.out).size(), 1u);
}

TEST(Program, PrintsNoArrayWhenAVerbThrows) {
  const Outcome outcome = weir({"boat", "--json", "--length", "101"});
  EXPECT_EQ(outcome.status, kFailed);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, "weir: no such harbour\n");
}

TEST(Program, PrintsNoArrayWhenAVerbFailsBeforeItHasSaidAnything) {
  const Outcome outcome = weir({"boat", "--json", "--length", "99"});
  EXPECT_EQ(outcome.status, kUsage);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.error, "weir: the harbour is full\n");
}

TEST(Program, PrefersTheCommandLineToTheEnvironment) {
  ASSERT_EQ(setenv("WEIR_WORKERS", "5", 1), 0);
  EXPECT_EQ(weir({"boat"}).out, "boat of 12 m, 5 workers\n");
  EXPECT_EQ(weir({"boat", "--workers", "4"}).out, "boat of 12 m, 4 workers\n");
  ASSERT_EQ(unsetenv("WEIR_WORKERS"), 0);
}

TEST(Program, RefusesAnUnknownVariableButStillHelps) {
  ASSERT_EQ(setenv("WEIR_WORKRES", "5", 1), 0);
  expect_mistake(weir({"boat"}), "unknown variable WEIR_WORKRES; did you mean WEIR_WORKERS?");
  EXPECT_EQ(weir({"boat", "--help"}).status, kDone);
  EXPECT_EQ(weir({"completion", "bash"}).status, kDone);
  ASSERT_EQ(unsetenv("WEIR_WORKRES"), 0);
}

TEST(Program, TakesTheLastOfARepeatedOption) {
  EXPECT_EQ(weir({"boat", "--length", "7", "--length", "8", "--workers=1", "--workers=2"}).out,
            "boat of 8 m, 2 workers\n");
}

TEST(Program, TakesTheValueOfAShortOptionBehindAnEqualsSignToo) {
  for (const auto& words : {std::initializer_list<const char*>{"boat", "-l=7"}, {"boat", "-l", "7"}, {"boat", "-l7"}})
    EXPECT_EQ(weir(words).out, "boat of 7 m, 0 workers\n");
  expect_mistake(weir({"boat", "-l=many"}), "--length=many: allowed is 1 to 200");
  expect_mistake(weir({"boat", "-l="}), "-l= needs a value behind it");
}

TEST(Program, TakesNumbersForDecimalOnes) {
  EXPECT_EQ(weir({"boat", "--length", "010"}).out, "boat of 10 m, 0 workers\n");
  expect_mistake(weir({"boat", "--length", "0x10"}), "--length=0x10: a decimal number is needed");
  expect_mistake(weir({"boat", "--masts=0b1"}), "--masts=0b1: a decimal number is needed");
  expect_mistake(weir({"boat", "--draught=0x1"}), "--draught=0x1: a decimal number is needed");
  EXPECT_EQ(weir({"boat", "--draught=0.25", "--masts=00", "--length=+7"}).out, "boat of 7 m, 0 workers\n");
}

TEST(Program, TakesOptionsBeforeTheVerbThatHasThem) {
  EXPECT_EQ(weir({"--length", "7", "boat"}).out, "boat of 7 m, 0 workers\n");
  EXPECT_EQ(weir({"--length", "7", "--workers=3", "boat", "--length=8"}).out, "boat of 8 m, 3 workers\n");
  EXPECT_EQ(Json::parse(weir({"--json", "boat"}).out).size(), 1u);
  EXPECT_THAT(weir({"--help", "boat"}).out, HasSubstr("length in metres"));
  EXPECT_THAT(weir({"--version", "boat"}).out, testing::StartsWith("weir "));
  expect_mistake(weir({"--length", "0", "boat"}), "--length=0: allowed is 1 to 200");
}

TEST(Program, HelpsWithAVerb) {
  EXPECT_EQ(weir({"help", "boat"}).out, weir({"boat", "--help"}).out);
  EXPECT_EQ(weir({"help", "fleet", "count"}).out, weir({"fleet", "count", "--help"}).out);
  EXPECT_EQ(weir({"help"}).out, weir({"--help"}).out);
  expect_mistake(weir({"help", "baot"}), "unknown verb baot; did you mean boat?");
}

TEST(Mistakes, InValuesThatAreEmptyOrNoNumberAreNamed) {
  expect_mistake(weir({"boat", "--rig=", "sloop"}), "--rig= needs a value behind it");
  expect_mistake(weir({"boat", "--rig", ""}), "--rig=: allowed is sloop, ketch or yawl");
  expect_mistake(weir({"boat", "--draught=nan"}), "--draught=nan: allowed is 0.25 to 4.5");
  expect_mistake(weir({"boat", "--json=3"}), "--json takes no value");
  expect_mistake(weir({"boat", "two\nlines"}), "boat: unexpected argument two\\nlines; see weir boat --help");
}

TEST(Mistakes, InTheNameOfAnOptionGetASuggestion) {
  expect_mistake(weir({"boat", "--worker", "3"}), "unknown option --worker; did you mean --workers?");
  expect_mistake(weir({"boat", "-workers", "3"}), "unknown option -workers; did you mean --workers?");
  expect_mistake(weir({"boat", "--lenght=3"}), "unknown option --lenght; did you mean --length?");
  expect_mistake(weir({"--verison"}), "unknown option --verison; did you mean --version?");
  expect_mistake(weir({"boat", "--zzz"}), "unknown option --zzz; see weir boat --help");
}

TEST(Mistakes, InTheNameOfAVerbGetASuggestion) {
  expect_mistake(weir({"baot"}), "unknown verb baot; did you mean boat?");
  expect_mistake(weir({"fleet", "cuont"}), "unknown verb fleet cuont; did you mean count?");
  expect_mistake(weir({"zzz"}), "unknown verb zzz; allowed is boat, fleet, completion or help");
}

TEST(Mistakes, SayWhichVerbHasTheOption) {
  expect_mistake(weir({"fleet", "count", "--length", "3"}), "--length is an option of boat, not of fleet count");
  expect_mistake(weir({"--json"}), "--json needs a verb: weir VERB --json");
}

TEST(Mistakes, InAValueNameTheOptionTheValueAndWhatIsAllowed) {
  expect_mistake(weir({"boat", "--workers", "many"}), "--workers=many: allowed is 0 to 1024 threads");
  expect_mistake(weir({"boat", "--length", "long"}), "--length=long: allowed is 1 to 200");
  expect_mistake(weir({"boat", "--length", "0"}), "--length=0: allowed is 1 to 200");
  expect_mistake(weir({"boat", "--masts", "two"}), "--masts=two: a number is needed");
  expect_mistake(weir({"boat", "--draught", "5"}), "--draught=5: allowed is 0.25 to 4.5");
  expect_mistake(weir({"boat", "--draught", "deep"}), "--draught=deep: allowed is 0.25 to 4.5");
  expect_mistake(weir({"boat", "--rig", "slop"}), "--rig=slop: allowed is sloop, ketch or yawl; did you mean sloop?");
  expect_mistake(weir({"boat", "--rig"}), "--rig needs a value");
  expect_mistake(weir({"boat", "--workers"}), "--workers needs a value");
}

TEST(Mistakes, OfMissingAndExtraWordsPointToTheHelp) {
  expect_mistake(weir({}), "no verb given; allowed is boat, fleet, completion or help; see weir --help");
  expect_mistake(weir({"fleet"}), "fleet needs more; allowed is count; see weir fleet --help");
  expect_mistake(weir({"boat", "extra"}), "boat: unexpected argument extra; see weir boat --help");
}

TEST(Help, ShowsTextOptionsDefaultsUnitsVariablesAndExamples) {
  const Outcome outcome = weir({"boat", "--help"});
  EXPECT_EQ(outcome.status, kDone);
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("weir boat - show a boat"), HasSubstr("Second paragraph."),
                                 HasSubstr("  kept   as it is"), HasSubstr("length in metres [default 12]"),
                                 HasSubstr("--rig sloop|ketch|yawl"), HasSubstr("WEIR_PARK_AFTER"),
                                 HasSubstr("weir boat --length 7")));
}

// An option stands before its values, and neither is ever broken.
TEST(Help, FitsANarrowTerminalButForWordsThatAreLonger) {
  ASSERT_EQ(setenv("COLUMNS", "40", 1), 0);
  for (const auto& arguments : {std::initializer_list<const char*>{"--help"}, {"boat", "--help"}}) {
    std::istringstream lines(weir(arguments).out);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      const auto count = std::distance(std::istream_iterator<std::string>(words), {});
      EXPECT_TRUE(line.size() <= 40u || count <= 2) << line;
    }
  }
  ASSERT_EQ(unsetenv("COLUMNS"), 0);
}

TEST(Help, OfTheProgramNamesTheVersionOnRequest) { EXPECT_THAT(weir({"--version"}).out, testing::StartsWith("weir ")); }

TEST(Manual, HasAPageForTheProgramAndOneForAVerbWithAllBelowIt) {
  EXPECT_THAT(weir({"manual"}).out, AllOf(HasSubstr(".TH WEIR 1"), HasSubstr("WEIR_FAR_AFTER")));
  EXPECT_THAT(weir({"manual", "fleet"}).out, AllOf(HasSubstr(".TH WEIR-FLEET 1"), HasSubstr("weir fleet count")));
}

TEST(Completion, OffersNoHiddenVerb) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    EXPECT_THAT(weir({"completion", shell}).out, AllOf(HasSubstr("boat"), Not(HasSubstr("manual")))) << shell;
  }
}

}  // namespace
}  // namespace weir::tool::test
