// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/thread_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "shmem/world/world.hpp"

namespace weir::shmem {

namespace {

// "12/status"
struct StatusName {
  char text[32];
  explicit StatusName(int thread) noexcept {
    char* const end = std::to_chars(std::begin(text), std::end(text), thread).ptr;
    std::memcpy(end, "/status", sizeof "/status");
  }
};

}  // namespace

ThreadFiles::ThreadFiles() : folder_(::open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.is_open()) return;
  const int error = errno;
  const char* const advice = error == EMFILE   ? "raise the limit of open files of the process (ulimit -n)"
                             : error == ENFILE ? "the system has no room for more open files: close some"
                                               : "mount /proc";
  fail(
      fmt::format("the threads of this process are not known: /proc/self/task: {}. Static data are moved while none "
                  "of them runs: {}",
                  std::strerror(error), advice));
}

void ThreadFiles::rewind() noexcept { ::lseek(folder_.number(), 0, SEEK_SET); }

std::size_t ThreadFiles::read_entries() noexcept {
  const ssize_t bytes = ::getdents64(folder_.number(), entries_, sizeof entries_);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
}

// The file's lines before that of the mask may be long, as that of the groups; they are read in pieces.
bool ThreadFiles::blocks(int thread, int signal) const noexcept {
  constexpr std::string_view kName = "\nSigBlk:\t";
  constexpr std::size_t kDigits = 16, kWhole = kName.size() + kDigits;
  const platform::Descriptor file(::openat(folder_.number(), StatusName(thread).text, O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) return errno == ENOENT || errno == ESRCH;
  char text[2048];
  std::size_t kept = 0;
  for (ssize_t got; (got = ::read(file.number(), text + kept, sizeof text - kept)) > 0;) {
    const std::string_view all(text, kept + static_cast<std::size_t>(got));
    const std::size_t at = all.find(kName);
    if (at != all.npos && all.size() - at >= kWhole) {
      std::uint64_t mask = 0;
      const char* const digits = all.data() + at + kName.size();
      std::from_chars(digits, digits + kDigits, mask, 16);
      return (mask >> (signal - 1) & 1) != 0;
    }
    kept = std::min(all.size(), kWhole - 1);  // it may hold the line's beginning
    std::memmove(text, all.data() + all.size() - kept, kept);
  }
  return true;  // it has ended
}

}  // namespace weir::shmem
