#include "traced_program.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace weir::tool {

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_with(const std::string& variable, const std::string& value) {
  std::vector<std::string> result{fmt::format("{}={}", variable, value)};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.substr(0, text.find('=')) != variable) result.emplace_back(text);
  }
  return result;
}

}  // namespace

base::Result<PendingFile> temporary_trace() {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
  if (error) return base::Status{base::Code::io_error, "report: no folder for temporary files: " + error.message()};
  return PendingFile::create(folder / fmt::format("weir-report-{}.json", getpid()));
}

base::Result<int> run_traced(const std::vector<std::string>& program, const std::string& trace, bool quiet) {
  std::vector<std::string> words = program, variables = environment_with("WEIR_TRACE", trace);
  std::fflush(stdout);
  pid_t child = 0;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (quiet) posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const int error = posix_spawnp(&child, words.front().c_str(), &actions, nullptr, pointers_to(words).data(),
                                 pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return base::Status{base::Code::not_found,
                        fmt::format("{}: cannot be run: {}", program.front(), std::strerror(error))};
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return base::Status{base::Code::io_error, fmt::format("waitpid: {}", std::strerror(errno))};
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace weir::tool
