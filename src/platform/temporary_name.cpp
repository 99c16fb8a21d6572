// SPDX-License-Identifier: Apache-2.0

#include "platform/temporary_name.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace weir::platform {

// Entries are never freed, and in a list that only grows: a handler may walk it at any moment. A path is complete
// before `used` is set, and is not changed until that is cleared.
struct TemporaryName::Entry {
  std::atomic<bool> used = false;
  char path[PATH_MAX] = {};
  Entry* next = nullptr;
  Entry* next_unused = nullptr;  // not for handlers
};

namespace {

// Of a folder that something still writes into.
constexpr int kRounds = 8;

bool is_dots(const char* name) noexcept { return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0; }

void remove(int folder, const char* name) noexcept;

// False: there was nothing in it. The library function for that allocates, which a signal handler must not.
bool remove_entries(int folder) noexcept {
  alignas(dirent64) char buffer[4096];
  bool any = false;
  lseek(folder, 0, SEEK_SET);
  for (ssize_t bytes; (bytes = getdents64(folder, buffer, sizeof buffer)) > 0;) {
    for (ssize_t at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      if (is_dots(entry->d_name)) continue;
      any = true;
      remove(folder, entry->d_name);
    }
  }
  return any;
}

void remove(int folder, const char* name) noexcept {
  if (unlinkat(folder, name, 0) == 0 || errno != EISDIR) return;
  const int inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inside < 0) return;
  for (int round = 0; round < kRounds && remove_entries(inside); ++round) {
  }
  close(inside);
  unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

std::atomic<TemporaryName::Entry*> TemporaryName::first{nullptr};
TemporaryName::Entry* TemporaryName::first_unused = nullptr;

base::Result<TemporaryName> TemporaryName::of(const std::string& path) {
  if (path.size() >= PATH_MAX)
    return base::Status{base::Code::io_error, fmt::format("{}: {}", path, std::strerror(ENAMETOOLONG))};
  Entry* entry = first_unused;
  if (entry != nullptr) {
    first_unused = entry->next_unused;
  } else {
    entry = new Entry;
    entry->next = first;
    first = entry;
  }
  std::memcpy(entry->path, path.c_str(), path.size() + 1);
  entry->used = true;
  return TemporaryName(entry);
}

bool TemporaryName::is_known(const std::string& path) {
  for (const Entry* entry = first; entry != nullptr; entry = entry->next)
    if (entry->used && path == entry->path) return true;
  return false;
}

void TemporaryName::forget() noexcept {
  if (entry_ == nullptr) return;
  entry_->used = false;
  entry_->next_unused = std::exchange(first_unused, entry_);
  entry_ = nullptr;
}

void remove_temporary_files() noexcept {
  for (const TemporaryName::Entry* entry = TemporaryName::first; entry != nullptr; entry = entry->next)
    if (entry->used) remove(AT_FDCWD, entry->path);
}

}  // namespace weir::platform
