// SPDX-License-Identifier: Apache-2.0

// The command lines of these programs and of those in apps/ranks: numbers, each from 1 to a bound. What includes this
// does not compile CLI11, which takes longer than the rest of these programs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weir::bench {

class CommandLine {
 public:
  explicit CommandLine(const std::string& title);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CommandLine& number(const char* name, int& value, int most, const char* help);
  // Several, with commas between.
  CommandLine& numbers(const char* name, std::vector<int>& values, int most, const char* help);
  // The exit code when the program is to end: 0, help was asked for and has been printed; 2, what is wrong has been.
  std::optional<int> parse(int argc, char** argv);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace weir::bench
