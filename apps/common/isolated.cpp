// SPDX-License-Identifier: Apache-2.0

#include "apps/common/isolated.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <string_view>

#include "platform/process.hpp"

namespace weir::apps {
namespace {

using base::Code;
using base::Status;

Status io_error(std::string message) { return {Code::io_error, std::move(message)}; }

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// Who looks at processes while they run; of the one caller.
std::function<void(pid_t)> the_watcher;

constexpr int kRefused = 1;

// 0 and the text of the result, or kRefused and why there is none.
int answer(const std::function<std::string()>& work, const Isolation& isolation, std::string& text) {
  try {
    const Status entered = isolation.cage == nullptr ? Status::success() : isolation.cage->enter();
    text = entered ? work() : entered.message;
    return entered ? 0 : kRefused;
  } catch (const std::exception& error) {
    text = error.what();
    return kRefused;
  }
}

Status failure(const platform::Collected& collected, const Isolation& isolation) {
  Status failed = platform::failure_of("its process", collected, isolation.seconds);
  if (collected.end.signal == SIGKILL && collected.in_time && isolation.cage != nullptr)
    failed.message += ", probably for want of memory";
  return failed;
}

std::uint64_t number_after(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::uint64_t number = 0;
    if (line.starts_with(key) && std::istringstream(line.substr(key.size())) >> number) return number;
  }
  return 0;
}

}  // namespace

base::Result<std::string> run_isolated(const std::function<std::string()>& work, const Isolation& isolation) {
  auto out = platform::Pipe::make();
  if (!out) return io_error(fmt::format("no pipe to a process: {}", std::strerror(errno)));
  auto process = platform::Process::fork([&] {
    std::string text;
    const int status = answer(work, isolation, text);
    write_all(out->write.number(), text);
    return status;
  });
  if (!process) return process.status();
  out->write.close();
  platform::Collected collected = platform::collect(*process, isolation.seconds, *out, nullptr, the_watcher);
  if (collected.end.status == kRefused && collected.in_time && !collected.out.empty()) return io_error(collected.out);
  if (Status failed = failure(collected, isolation); !failed) return failed;
  return std::move(collected.out);
}

base::Result<std::string> run_isolated_program(const std::vector<std::string>& command, const Isolation& isolation) {
  platform::Command isolated{command};
  isolated.dies_with_us = true;
  if (isolation.cage != nullptr) isolated.prepare = [&] { return static_cast<bool>(isolation.cage->enter()); };
  auto collected = platform::run(std::move(isolated), isolation.seconds, {}, the_watcher);
  if (!collected) return collected.status();
  if (Status failed = failure(*collected, isolation); !failed) return failed;
  return std::move(collected->out);
}

WatchIsolated::WatchIsolated(std::function<void(pid_t)> look) { the_watcher = std::move(look); }
WatchIsolated::~WatchIsolated() { the_watcher = nullptr; }

std::uint64_t peak_resident_bytes() { return number_after("/proc/self/status", "VmHWM:") * 1024; }

std::uint64_t storage_bytes() {
  return number_after("/proc/self/io", "read_bytes:") + number_after("/proc/self/io", "write_bytes:");
}

}  // namespace weir::apps
