// SPDX-License-Identifier: Apache-2.0

#include "launch/joined.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/mutex.hpp"

namespace weir::launch {

namespace {

constexpr const char* kOfPe = "WEIR_JOINED";
constexpr const char* kOfRank = "WEIR_JOINED_RANK";

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

std::string place_of(const Job& job) { return fmt::format(":{}:{}", static_cast<std::uint32_t>(job.rank), job.id); }

void note(const char* variable, const Job& job) noexcept {
  setenv(variable, fmt::format("{}{}", getpid(), place_of(job)).c_str(), 1);
}

struct JoinedRanks {
  base::Mutex mutex;
  int count WEIR_GUARDED_BY(mutex) = 0;  // of JoinedRank that there are
};
JoinedRanks& joined_ranks() noexcept {
  static JoinedRanks only;
  return only;
}

}  // namespace

void note_joined(const Job& job) noexcept { note(kOfPe, job); }
void note_left() noexcept { unsetenv(kOfPe); }

JoinedRank::JoinedRank(const Job& job) noexcept : is_bare_(job.id.empty()) {
  if (is_bare_) return;
  const base::Lock lock(joined_ranks().mutex);
  if (++joined_ranks().count == 1) note(kOfRank, job);
}
JoinedRank::~JoinedRank() {
  if (is_bare_) return;
  const base::Lock lock(joined_ranks().mutex);
  if (--joined_ranks().count == 0) unsetenv(kOfRank);
}

std::optional<pid_t> joined_before(const char* text, const Job& job, pid_t self) {
  const Text found = parse(text);
  if (job.id.empty() || found.process <= 0 || found.process == self || found.place != place_of(job)) return {};
  return found.process;
}

std::optional<pid_t> joined_before(const Job& job) {
  for (const char* const variable : {kOfPe, kOfRank}) {
    if (variable == kOfRank && job.ranks == 1) continue;  // there is no other to wait for
    const std::optional<pid_t> found = joined_before(std::getenv(variable), job, getpid());
    if (found && (kill(*found, 0) == 0 || errno == EPERM)) return found;
  }
  return std::nullopt;
}

base::Status check_none_joined(const Job& job) {
  const auto before = job.ranks == 1 ? std::nullopt : joined_before(job);
  if (!before) return base::Status::success();
  return {base::Code::unsupported,
          fmt::format("this process was started by rank {} of the job (process {}), which has joined it, and has its "
                      "variables: it is none of the ranks, and would wait for them for ever. A rank starts a program "
                      "of ranks by weir run -n, as a job of its own",
                      static_cast<std::uint32_t>(job.rank), *before)};
}

bool has_other_copy_joined() noexcept { return parse(std::getenv(kOfPe)).process == getpid(); }

}  // namespace weir::launch
