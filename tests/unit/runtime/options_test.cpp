// SPDX-License-Identifier: Apache-2.0

#include "runtime/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "weir/error.hpp"

namespace weir::runtime {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Variables = std::vector<std::pair<std::string, std::string>>;

std::string refusal(const Variables& variables) {
  const auto options = options_from(variables);
  return options ? "accepted" : options.status().message;
}

std::string refusal(std::string_view name, std::string_view value) {
  Options options;
  const auto status = set_option(options, name, value, "--" + dashed(name));
  EXPECT_EQ(status.code, base::Code::bad_option);
  return status.message;
}

template <class Enumeration>
void expect_values(Enumeration Options::*field, std::string_view name,
                   std::initializer_list<std::pair<const char*, Enumeration>> values) {
  for (const auto& [text, value] : values) {
    Options options;
    ASSERT_TRUE(set_option(options, name, text, name)) << name << "=" << text;
    EXPECT_EQ(options.*field, value) << name << "=" << text;
  }
}

TEST(Options, AreTheDefaultsWhenNoVariableIsSet) {
  const auto options = options_from(Variables{});
  ASSERT_TRUE(options);
  for (const OptionInfo& info : option_table()) EXPECT_EQ(option_text(*options, info), info.initial) << info.name;
}

TEST(Options, OfEveryTypeAreReadFromTheEnvironment) {
  const auto options = options_from(Variables{
      {"WEIR_WORKERS", "3"}, {"WEIR_POLICY", "numa"}, {"WEIR_BIND", "none"}, {"WEIR_MACHINE", "pack:1 core:4 pu:1"}});
  ASSERT_TRUE(options) << options.status().message;
  EXPECT_EQ(options->workers, 3);
  EXPECT_EQ(options->policy, Policy::numa);
  EXPECT_EQ(options->bind, Bind::none);
  EXPECT_EQ(options->machine, "pack:1 core:4 pu:1");
}

TEST(Options, ReadBackEveryValueThatTheTableAllows) {
  for (const OptionInfo& info : option_table()) {
    std::vector<std::string> values = info.choices;
    if (info.is_number()) values = {std::to_string(info.least), std::to_string(info.most)};
    for (const std::string& value : values) {
      Options options;
      ASSERT_TRUE(set_option(options, info.name, value, info.name)) << info.name << "=" << value;
      EXPECT_EQ(option_text(options, info), value) << info.name;
    }
  }
}

TEST(Options, KeepTheOrderOfTheEnumerationInTheTable) {
  expect_values(&Options::policy, "policy", {{"near", Policy::near}, {"numa", Policy::numa}, {"flat", Policy::flat}});
  expect_values(&Options::bind, "bind", {{"core", Bind::core}, {"domain", Bind::domain}, {"none", Bind::none}});
  expect_values(&Options::allocation, "allocation",
                {{"default", Allocation::default_},
                 {"fast", Allocation::fast},
                 {"local", Allocation::local},
                 {"local-fast", Allocation::local_fast}});
  expect_values(&Options::strategy, "strategy",
                {{"off", Strategy::off},
                 {"inline", Strategy::inline_},
                 {"single", Strategy::single},
                 {"multi", Strategy::multi},
                 {"ahead", Strategy::ahead}});
  expect_values(&Options::evict, "evict",
                {{"refcount", Evict::refcount}, {"lru", Evict::lru}, {"next-use", Evict::next_use}});
  expect_values(&Options::chains, "chains", {{"off", Chains::off}, {"on", Chains::on}, {"auto", Chains::auto_}});
  expect_values(&Options::overflow, "overflow", {{"in-place", Overflow::in_place}, {"refuse", Overflow::refuse}});
  expect_values(&Options::io, "io", {{"auto", Io::auto_}, {"uring", Io::uring}, {"threads", Io::threads}});
}

TEST(Options, RefuseAVariableThatIsNearlyOneOfTheirsAndSuggestIt) {
  EXPECT_EQ(refusal(Variables{{"WEIR_WORKER", "2"}}), "unknown variable WEIR_WORKER; did you mean WEIR_WORKERS?");
  EXPECT_EQ(refusal(Variables{{"WEIR_workers", "2"}}), "unknown variable WEIR_workers; did you mean WEIR_WORKERS?");
  EXPECT_EQ(refusal(Variables{{"WEIR_TEIRS", "2"}}), "unknown variable WEIR_TEIRS; did you mean WEIR_TIERS?");
  EXPECT_EQ(refusal(Variables{{"WEIR_PARKAFTER", "2"}}),
            "unknown variable WEIR_PARKAFTER; did you mean WEIR_PARK_AFTER?");
}

TEST(Options, LeaveVariablesOfPackageManagersAndOfOthersAlone) {
  for (const char* name : {"WEIR_ROOT",
                           "WEIR_DIR",
                           "WEIR_HOME",
                           "WEIR_BASE",
                           "WEIR_VERSION",
                           "WEIR_LIB",
                           "WEIR_LIBDIR",
                           "WEIR_LIB_DIR",
                           "WEIR_LIBRARY_PATH",
                           "WEIR_INC",
                           "WEIR_INCDIR",
                           "WEIR_INCLUDE",
                           "WEIR_INCLUDE_DIR",
                           "WEIR_BIN",
                           "WEIR_PATH",
                           "WEIR_PREFIX",
                           "WEIR_CONFIG",
                           "WEIR_COLOUR_OF_MAPS",
                           "WEIR_",
                           "WEIR_X"}) {
    EXPECT_EQ(refusal(Variables{{name, "/opt/weir"}}), "accepted") << name;
  }
}

TEST(Options, RefuseWhatIsNotANumber) {
  for (const char* value : {"", "two", "2x", " 2", "+2", "0x2", "99999999999999999999"}) {
    EXPECT_EQ(refusal("workers", value), std::string("--workers=") + value + ": allowed is 0 to 1024 threads");
  }
}

TEST(Options, SayThatAFractionIsNoWholeNumber) {
  EXPECT_EQ(refusal("checkpoint_every", "0.05"), "--checkpoint-every=0.05: allowed is a whole number, 0 to 1000000 s");
  EXPECT_EQ(refusal("workers", "2.5"), "--workers=2.5: allowed is a whole number, 0 to 1024 threads");
}

TEST(Options, RefuseANumberOutOfItsRange) {
  EXPECT_EQ(refusal("workers", "1025"), "--workers=1025: allowed is 0 to 1024 threads");
  EXPECT_EQ(refusal("park_after", "-1"), "--park-after=-1: allowed is 0 to 1000000 us");
}

TEST(Options, RefuseAnUnknownChoiceAndSuggestTheNearest) {
  EXPECT_EQ(refusal("policy", "neer"), "--policy=neer: allowed is near, numa or flat; did you mean near?");
  EXPECT_EQ(refusal("bind", "xyz"), "--bind=xyz: allowed is core, domain or none");
}

TEST(Options, AreUnchangedByARefusedValue) {
  Options options;
  options.workers = 7;
  EXPECT_FALSE(set_option(options, "workers", "x", "--workers"));
  EXPECT_EQ(options.workers, 7);
}

TEST(Options, NameTheVariableThatHasABadValue) {
  EXPECT_EQ(refusal(Variables{{"WEIR_WORKERS", "4"}, {"WEIR_PARK_AFTER", "soon"}}),
            "WEIR_PARK_AFTER=soon: allowed is 0 to 1000000 us");
}

TEST(Options, OfTheProcessAreReadFromItsEnvironment) {
  ASSERT_EQ(setenv("WEIR_THROTTLE", "17", 1), 0);
  EXPECT_EQ(Options::from_environment().throttle, 17);
  ASSERT_EQ(setenv("WEIR_THROTTLE", "many", 1), 0);
  EXPECT_THROW(Options::from_environment(), Error);
  ASSERT_EQ(unsetenv("WEIR_THROTTLE"), 0);
}

TEST(OptionTable, HasHelpForEveryOptionAndSaysWhatATextIs) {
  for (const OptionInfo& info : option_table()) {
    EXPECT_FALSE(info.help.empty()) << info.name;
    EXPECT_TRUE(info.is_number() || info.unit.empty() == !info.choices.empty()) << info.name;
  }
}

TEST(OptionTable, SaysWhatIsAllowedWithTheUnitIfThereIsOne) {
  Options options;
  EXPECT_EQ(set_option(options, "explain_after", "-1", "E").message, "E=-1: allowed is 0 to 1000000 s");
  EXPECT_EQ(set_option(options, "island_seed", "-1", "S").message, "S=-1: allowed is 0 to 1000000000");
}

TEST(OptionTable, SpellsNamesForTheCommandLineAndTheEnvironment) {
  EXPECT_EQ(dashed("park_after"), "park-after");
  EXPECT_EQ(variable("park_after"), "WEIR_PARK_AFTER");
}

}  // namespace
}  // namespace weir::runtime
