// SPDX-License-Identifier: Apache-2.0

#include "multi/shmem/job.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace weir::shmem::multi {

namespace {

constexpr int kPatienceMs = 120'000;  // machines that run other things too

std::string unique_name() {
  static int count = 0;
  return fmt::format("shmem-test-{}-{}", getpid(), ++count);
}

std::size_t lines_with(const std::string& output, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = output.find(text); at != std::string::npos; at = output.find(text, at + 1)) ++count;
  return count;
}

}  // namespace

Job::Job(int pes, const std::string& body, const Variables& variables, const Variables& of_last,
         const std::string& program_of_last) {
  auto pipe = platform::Pipe::make();
  const std::string name = unique_name();
  for (int pe = 0; pe < pes; ++pe) {
    const bool is_last = pe == pes - 1;
    platform::Command command{.words = {is_last ? program_of_last : WEIR_SHMEM_PE, body}, .variables = variables};
    for (const char* const variable : {"WEIR_RANK", "WEIR_HOST_RANK"})
      command.variables.emplace_back(variable, std::to_string(pe));
    for (const char* const variable : {"WEIR_RANKS", "WEIR_HOST_RANKS"})
      command.variables.emplace_back(variable, std::to_string(pes));
    command.variables.emplace_back("WEIR_JOB", name);
    if (is_last) command.variables.insert(command.variables.end(), of_last.begin(), of_last.end());
    command.out = command.error = pipe->write.number();
    auto process = platform::Process::start(command);
    EXPECT_TRUE(process) << process.status().message;
    processes_.push_back(std::move(*process));
  }
  out_ = std::move(pipe->read);
}

Job::~Job() {
  for (platform::Process& process : processes_) {
    if (!process.ended()) {
      process.kill();
      process.wait();
    }
  }
}

bool Job::read_more() {
  pollfd ready{.fd = out_.number(), .events = POLLIN, .revents = 0};
  if (::poll(&ready, 1, kPatienceMs) <= 0) return false;
  char text[4096];
  const ssize_t got = ::read(out_.number(), text, sizeof(text));
  if (got <= 0) return false;
  output_.append(text, static_cast<std::size_t>(got));
  return true;
}

bool Job::wait_for_lines(const std::string& text, int count) {
  while (lines_with(output_, text) < static_cast<std::size_t>(count)) {
    if (!read_more()) return false;
  }
  return true;
}

std::vector<platform::ProcessEnd> Job::ends() {
  while (read_more()) {
  }
  std::vector<platform::ProcessEnd> ends;
  for (platform::Process& process : processes_) {
    // The output has ended, or nobody has said a word for very long.
    if (pollfd ready{.fd = out_.number(), .events = POLLIN, .revents = 0}; ::poll(&ready, 1, 0) == 0) process.kill();
    ends.push_back(process.wait());
  }
  return ends;
}

void expect_all_well(int pes, const std::string& body, const Job::Variables& variables) {
  Job job(pes, body, variables);
  const auto ends = job.ends();
  EXPECT_TRUE(std::all_of(ends.begin(), ends.end(), [](const auto& end) { return end.well(); }))
      << body << " on " << pes << " PEs:\n"
      << job.output();
}

}  // namespace weir::shmem::multi
