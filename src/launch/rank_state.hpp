// SPDX-License-Identifier: Apache-2.0

// A rank as its launcher sees it: the process, what it prints, what it has said, how it has ended. The launcher's
// thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "launch/control.hpp"
#include "launch/ending.hpp"
#include "launch/output.hpp"
#include "launch/rank_process.hpp"

namespace weir::launch {

class RankState {
 public:
  RankState(RankProcess process, const std::string& label)
      : process_(std::move(process)), out_lines_(label), error_lines_(label) {}

  pid_t pid() const noexcept { return process_.process.pid(); }
  int out() const noexcept { return process_.out.number(); }          // -1 at its end
  int error() const noexcept { return process_.error.number(); }      // -1 at its end
  int control() const noexcept { return process_.control.number(); }  // -1 when nobody has the other end

  // What can be read now, as lines. True when there was something.
  bool read_out(std::string& to) { return read(process_.out, out_lines_, to); }
  bool read_error(std::string& to) { return read(process_.error, error_lines_, to); }
  void finish_out(std::string& to) { out_lines_.finish(to); }
  void finish_error(std::string& to) { error_lines_.finish(to); }
  bool has_begun_a_line() const noexcept { return out_lines_.has_begun() || error_lines_.has_begun(); }
  const std::string& last_words() const noexcept { return error_lines_.last(); }

  // Messages that are there now; the status of the first that aborts the job.
  std::optional<int> hear();
  void has_ended(platform::ProcessEnd end, std::uint32_t order) noexcept;
  bool runs() const noexcept { return !end_.has_ended; }
  const RankEnd& end() const noexcept { return end_; }

 private:
  static bool read(platform::Descriptor& from, Lines& lines, std::string& to);

  RankProcess process_;
  Lines out_lines_, error_lines_;
  RankEnd end_;
};

}  // namespace weir::launch
