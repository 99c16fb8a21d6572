// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/joined.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

namespace weir::shmem {

namespace {

constexpr const char* kVariable = "WEIR_JOINED";

struct Text {
  pid_t process = 0;
  std::string_view place;  // ":RANK:JOB"
};
Text parse(const char* text) noexcept {
  Text found;
  if (text == nullptr) return found;
  const std::string_view all = text;
  const auto [rest, error] = std::from_chars(all.data(), all.data() + all.size(), found.process);
  if (error == std::errc()) found.place = all.substr(static_cast<std::size_t>(rest - all.data()));
  return found;
}

std::string place_of(const launch::Job& job) {
  return fmt::format(":{}:{}", static_cast<std::uint32_t>(job.rank), job.id);
}

}  // namespace

void note_joined(const launch::Job& job) noexcept {
  setenv(kVariable, fmt::format("{}{}", getpid(), place_of(job)).c_str(), 1);
}
void note_left() noexcept { unsetenv(kVariable); }

std::optional<pid_t> joined_before(const char* text, const launch::Job& job, pid_t self) {
  const Text found = parse(text);
  if (job.id.empty() || found.process <= 0 || found.process == self || found.place != place_of(job)) return {};
  return found.process;
}

std::optional<pid_t> joined_before(const launch::Job& job) {
  const std::optional<pid_t> found = joined_before(std::getenv(kVariable), job, getpid());
  return found && (kill(*found, 0) == 0 || errno == EPERM) ? found : std::nullopt;
}

bool has_other_copy_joined() noexcept { return parse(std::getenv(kVariable)).process == getpid(); }

}  // namespace weir::shmem
