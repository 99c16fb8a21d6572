// SPDX-License-Identifier: Apache-2.0

// Job: PEs of shmem_pe as processes of this host, started as `weir run -n` would, without its binding.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "platform/process.hpp"

namespace weir::shmem::multi {

class Job {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  // `of_last`: variables that the last PE has in addition; `program_of_last`: what it runs, if something else.
  Job(int pes, const std::string& body, const Variables& variables = {}, const Variables& of_last = {},
      const std::string& program_of_last = WEIR_SHMEM_PE);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // Until so many lines of output have `text` in them; false when the output ends before.
  bool wait_for_lines(const std::string& text, int count);
  void kill(int pe) { processes_[static_cast<std::size_t>(pe)].kill(); }
  // Of all PEs, by number, when all have ended; killed after two minutes.
  std::vector<platform::ProcessEnd> ends();
  const std::string& output() const { return output_; }  // of all PEs, both streams

 private:
  bool read_more();

  std::vector<platform::Process> processes_;
  platform::Descriptor out_;
  std::string output_;
};

// Every PE ends well; what it says is in the failure.
void expect_all_well(int pes, const std::string& body, const Job::Variables& variables = {});

}  // namespace weir::shmem::multi
