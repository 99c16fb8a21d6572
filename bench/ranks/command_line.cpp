// SPDX-License-Identifier: Apache-2.0

#include "command_line.hpp"

#include "CLI/CLI.hpp"

namespace weir::bench {

struct CommandLine::Parser {
  CLI::App app;
};

CommandLine::CommandLine(const std::string& title) : parser_(new Parser{CLI::App(title)}) {}

CommandLine::~CommandLine() = default;

CommandLine& CommandLine::number(const char* name, int& value, int most, const char* help) {
  parser_->app.add_option(name, value, help)->check(CLI::Range(1, most));
  return *this;
}

CommandLine& CommandLine::numbers(const char* name, std::vector<int>& values, int most, const char* help) {
  parser_->app.add_option(name, values, help)->delimiter(',')->check(CLI::Range(1, most));
  return *this;
}

std::optional<int> CommandLine::parse(int argc, char** argv) {
  try {
    parser_->app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return parser_->app.exit(error) == 0 ? 0 : 2;
  }
}

}  // namespace weir::bench
