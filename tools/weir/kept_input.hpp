// SPDX-License-Identifier: Apache-2.0

// Standard input for a program that is run several times: each run reads the same.
//
// A file is read again from where it stands. What comes through a pipe or a socket is handed on as a run reads it, and
// kept for the next ones, so that a program which reads nothing waits for nothing. A terminal is read by none. One run
// at a time, by one thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <thread>

#include "base/result.hpp"
#include "platform/descriptor.hpp"
#include "platform/process.hpp"

namespace weir::tool {

class KeptInput {
 public:
  static constexpr std::uint64_t kMost = std::uint64_t{256} << 20;  // that is kept of a pipe

  // Of this descriptor, which stays the caller's and open.
  explicit KeptInput(int input, std::uint64_t most = kMost);
  KeptInput(const KeptInput&) = delete;
  KeptInput& operator=(const KeptInput&) = delete;

  // A program that fails may have wanted what it would say there.
  bool is_terminal() const noexcept { return kind_ == Kind::terminal; }

  // One run of the program, from before its start to its end.
  class Run {
   public:
    explicit Run(KeptInput& input);
    ~Run();
    Run(const Run&) = delete;
    Run& operator=(const Run&) = delete;

    // no_space: more has come through a pipe than is kept, or there is no thread, or no descriptor left. The message
    // says what to do.
    const base::Status& status() const noexcept { return status_; }
    // The program's standard input, as platform::Command has it.
    int number() const noexcept { return number_; }
    // The program has it: this process no longer needs it.
    void started() noexcept { read_end_.close(); }

   private:
    base::Status feed_by_pipe();

    KeptInput& input_;
    base::Status status_ = base::Status::success();
    int number_ = platform::Command::kInherited;
    platform::Descriptor read_end_, stop_;
    std::thread feeder_;
  };

 private:
  enum class Kind : unsigned char {
    as_it_is,  // not open, or a device: there is nothing to keep
    terminal,
    file,  // which can be read again
    stream,
  };
  void feed(platform::Descriptor to, platform::Descriptor stop);
  std::size_t next(char* buffer, std::size_t size, off_t at, int to, int stop);
  void keep(const char* data, std::size_t size) noexcept;

  const int input_;
  const std::uint64_t most_;
  Kind kind_ = Kind::as_it_is;
  off_t begins_at_ = 0;        // of a file
  platform::Descriptor kept_;  // what has come of a stream
  std::uint64_t kept_bytes_ = 0;
  bool has_ended_ = false;    // the stream: all of it is kept
  bool is_too_long_ = false;  // not all that has come is kept
};

}  // namespace weir::tool
