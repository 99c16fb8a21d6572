// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <sstream>

#include "read_trace.hpp"
#include "temporary_path.hpp"
#include "weir/runtime.hpp"

namespace weir::tool::report {
namespace {

using testing::HasSubstr;

base::Result<std::vector<Trace>> read(const std::string& text) {
  std::istringstream input(text);
  return read_traces(input, "t.json");
}

std::string recorded_text() {
  const trace::TemporaryPath path;
  Options options;
  options.workers = 1;
  options.trace = path.file();
  for (int i = 0; i < 2; ++i) {  // the second one takes the place of the first one's last line
    Runtime runtime(options);
    int value = 0;
    for (int task = 0; task < 20; ++task) runtime.spawn(inout(value), [](int& v) { ++v; });
    runtime.wait();
  }
  std::ifstream file(path.file());
  return {std::istreambuf_iterator<char>(file), {}};
}

// As files were before they had checksums.
std::string without_checksum(const std::string& text) {
  static const std::regex last(",\n\"checksum\":\"crc32c:[0-9a-f]{8}\"");
  return std::regex_replace(std::regex_replace(text, last, ""), std::regex("weir-trace-2"), "weir-trace-1");
}

TEST(DamagedTrace, IsNamedAsDamagedWhicheverBitIsFlipped) {
  std::string text = recorded_text();
  ASSERT_TRUE(read(text)) << read(text).status().message;
  std::mt19937 random(20);
  for (int i = 0; i < 400; ++i) {
    const std::size_t bit = random() % (text.size() * 8);
    const std::size_t byte = i < 40 ? text.size() - 1 - static_cast<std::size_t>(i) : bit / 8;  // the last line, too
    text[byte] = static_cast<char>(text[byte] ^ (1 << bit % 8));
    const auto traces = read(text);
    ASSERT_FALSE(traces) << "bit " << bit % 8 << " of byte " << byte;
    EXPECT_THAT(traces.status().message, HasSubstr("t.json: damaged: "));
    text[byte] = static_cast<char>(text[byte] ^ (1 << bit % 8));
  }
}

TEST(DamagedTrace, IsNamedWhenALineIsMissing) {
  const std::string text = recorded_text();
  const std::size_t line = text.find('\n', text.size() / 2);
  const auto traces = read(text.substr(0, line) + text.substr(text.find('\n', line + 1)));
  ASSERT_FALSE(traces);
  EXPECT_THAT(traces.status().message, HasSubstr("damaged: its contents have the checksum"));
}

TEST(DamagedTrace, WithoutAChecksumIsReadOrSaysWhatIsWrong) {
  std::string text = without_checksum(recorded_text());
  ASSERT_TRUE(read(text)) << read(text).status().message;
  std::mt19937 random(21);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t bit = random() % (text.size() * 8);
    const char before = text[bit / 8];
    text[bit / 8] = static_cast<char>(before ^ (1 << bit % 8));
    const auto traces = read(text);
    if (traces) {
      EXPECT_FALSE(traces->front().cut) << "byte " << bit / 8 << ": its program is not to blame";
    } else {
      EXPECT_THAT(traces.status().message,
                  testing::AnyOf(HasSubstr("this file has no checksum"), HasSubstr("no format")));
    }
    text[bit / 8] = before;
  }
}

TEST(DamagedTrace, OfAProgramThatWasKilledIsToldFromOneThatEndsEarly) {
  const std::string text = recorded_text();
  std::string part = text.substr(0, text.size() / 2);
  ASSERT_TRUE(read(part)) << read(part).status().message;
  EXPECT_TRUE(read(part)->front().cut);
  EXPECT_TRUE(read(part + std::string(5000, '\0'))) << "what the system had not written yet";
  part[part.size() / 2] = '\x01';
  ASSERT_FALSE(read(part));
  EXPECT_THAT(read(part).status().message, HasSubstr("t.json: damaged: "));
}

TEST(DamagedTrace, SaysWhatCannotBe) {
  const std::string text = without_checksum(recorded_text());
  const auto with = [&](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return read(text.substr(0, at) + to + text.substr(at + from.size())).status().message;
  };
  EXPECT_THAT(with("\"task\":7", "\"task\":99999999"), HasSubstr("the number 99999999"));
  EXPECT_THAT(with("\"task\":7", "\"task\":-7"), HasSubstr("an event whose task is -7"));
  EXPECT_THAT(with("\"cat\":\"spawn\"", "\"cat\":\"spwan\""), HasSubstr("an event whose cat is \"spwan\""));
  EXPECT_THAT(with("\"workers\":1", "\"workers\":0"), HasSubstr("0 workers"));
}

}  // namespace
}  // namespace weir::tool::report
