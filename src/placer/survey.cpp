// SPDX-License-Identifier: Apache-2.0

#include "placer/survey.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace weir::placer {

namespace {

constexpr std::size_t kPage = 4096;  // pages larger than that are asked after in parts
constexpr std::size_t kAtOnce = 512;
constexpr std::uint64_t kPresent = 1ull << 63, kOfFileOrShared = 1ull << 61;

bool begins(const char* text, const char* with) noexcept { return strncmp(text, with, strlen(with)) == 0; }

std::uint64_t resident() noexcept {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[128];
  const ssize_t length = ::read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  const char* const second = strchr(text, ' ');
  return second == nullptr ? 0 : strtoull(second, nullptr, 10) * kPage;
}

// The lines of a file of /proc, which are shorter than the buffer.
class Lines {
 public:
  explicit Lines(const char* path) noexcept : file_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~Lines() {
    if (file_ >= 0) close(file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  char* next() noexcept {
    for (;;) {
      char* const begin = text_ + at_;
      if (char* const end = static_cast<char*>(memchr(begin, '\n', filled_ - at_)); end != nullptr) {
        *end = 0;
        at_ = static_cast<std::size_t>(end - text_) + 1;
        return begin;
      }
      memmove(text_, begin, filled_ - at_);
      filled_ -= at_;
      at_ = 0;
      const ssize_t more = file_ < 0 ? 0 : ::read(file_, text_ + filled_, sizeof text_ - filled_);
      if (more <= 0) return nullptr;
      filled_ += static_cast<std::size_t>(more);
    }
  }

 private:
  int file_;
  std::size_t at_ = 0, filled_ = 0;
  char text_[3 * kPage];
};

}  // namespace

struct Surveyor::Mapping {
  std::uintptr_t begin = 0, end = 0;
  bool readable = false, writable = false, is_shared = false, of_file = false, is_stack = false, is_counted = true;
  bool is_break = false;    // the heap that grows in place
  bool of_program = false;  // static data

  // "7f0c5a000000-7f0c5a021000 rw-p 00000000 00:00 0    [heap]"
  static Mapping parse(const char* line) noexcept {
    Mapping m;
    char* rest = nullptr;
    m.begin = strtoull(line, &rest, 16);
    m.end = strtoull(rest + 1, &rest, 16);
    m.readable = rest[1] == 'r';
    m.writable = rest[2] == 'w';
    m.is_shared = rest[4] == 's';
    const char* path = rest + 1;
    for (int field = 0; field < 4 && path != nullptr; ++field) {
      path = strchr(path, ' ');
      if (path != nullptr) ++path;
    }
    while (path != nullptr && *path == ' ') ++path;
    if (path == nullptr) path = "";
    m.is_stack = begins(path, "[stack");
    m.is_break = begins(path, "[heap]");
    m.of_file = *path == '/';
    const bool in_memory = begins(path, "/dev/shm/") || begins(path, "/memfd:") || begins(path, "/dev/zero") ||
                           begins(path, "/SYSV") || begins(path, "/anon_hugepage");
    m.is_counted = m.readable && !begins(path, "[v") && (!m.is_shared || !m.of_file || in_memory);
    return m;
  }
};

void Surveyor::ask(void** addresses, std::size_t pages, Kind kind, Count& into) noexcept {
  auto* const bytes = into.bytes[static_cast<std::size_t>(kind)];
  if (settings_.one >= 0) {
    bytes[settings_.one] += pages * kPage;
    return;
  }
  int nodes[kAtOnce];
  if (syscall(SYS_move_pages, 0, pages, addresses, nullptr, nodes, 0) != 0) return;
  for (std::size_t i = 0; i < pages; ++i) {
    if (nodes[i] < 0) continue;  // the page of zeros, which is everybody's
    const auto node = static_cast<std::size_t>(nodes[i]);
    bytes[node < kMostNodes ? node : kMostNodes - 1] += kPage;
  }
}

void Surveyor::count_part(const Mapping& mapping, std::uintptr_t begin, std::uintptr_t end, Kind kind,
                          Count& into) noexcept {
  std::uint64_t states[kAtOnce];
  void* addresses[kAtOnce];
  while (begin < end) {
    const std::size_t most = (end - begin) / kPage < kAtOnce ? (end - begin) / kPage : kAtOnce;
    const ssize_t got =
        pread(pagemap_, states, most * sizeof states[0], static_cast<off_t>(begin / kPage * sizeof states[0]));
    if (got <= 0) return;
    const std::size_t pages = static_cast<std::size_t>(got) / sizeof states[0];
    std::size_t there = 0;
    for (std::size_t i = 0; i < pages; ++i) {
      const bool is_ours = mapping.is_shared || (states[i] & kOfFileOrShared) == 0;
      if ((states[i] & kPresent) != 0 && is_ours) addresses[there++] = reinterpret_cast<void*>(begin + i * kPage);
    }
    if (there > 0) ask(addresses, there, kind, into);
    begin += pages * kPage;
  }
}

// Mappings with the same rights become one in the kernel, whoever has made them: cut into what is large allocations,
// stacks, and the rest.
void Surveyor::count(const Mapping& mapping, Count& into) noexcept {
  std::uintptr_t at = mapping.begin;
  while (at < mapping.end) {
    std::uintptr_t until = mapping.end;
    Kind kind = mapping.is_shared ? Kind::shared : mapping.of_program ? Kind::data : Kind::heap;
    if (mapping.is_stack) kind = Kind::stacks;
    const struct {
      Range range;
      Kind kind;
    } known[] = {{stacks_.at_or_after(at), Kind::stacks}, {large_.at_or_after(at), Kind::large}};
    for (const auto& [range, what] : known) {
      if (range.end == 0 || range.begin >= until) continue;
      if (range.begin > at) {
        until = range.begin;
      } else {
        kind = what;
        until = range.end < until ? range.end : until;
      }
    }
    count_part(mapping, at, until, kind, into);
    at = until;
  }
}

void Surveyor::survey() noexcept {
  pagemap_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap_ < 0) return;
  memset(&at_largest_, 0, sizeof at_largest_);
  Lines lines("/proc/self/maps");
  Mapping before;
  while (const char* const line = lines.next()) {
    Mapping mapping = Mapping::parse(line);
    // What is zero at first in a program lies behind what its file has.
    const bool goes_on = !mapping.of_file && !mapping.is_break && before.of_file && before.writable &&
                         !before.is_shared && mapping.begin == before.end;
    mapping.of_program = !mapping.is_shared && (mapping.of_file || goes_on);
    if (mapping.is_counted) count(mapping, at_largest_);
    before = mapping;
  }
  close(pagemap_);
}

void Surveyor::consider() noexcept {
  const int before = errno;
  const std::uint64_t now = resident();
  if (now > largest_ + largest_ / 20 && pthread_mutex_trylock(&mutex_) == 0) {
    survey();
    largest_ = now;
    pthread_mutex_unlock(&mutex_);
  }
  errno = before;
}

const Count& Surveyor::last() noexcept {
  pthread_mutex_lock(&mutex_);
  if (const std::uint64_t now = resident(); now > largest_) {
    survey();
    largest_ = now;
  }
  pthread_mutex_unlock(&mutex_);
  return at_largest_;
}

void Surveyor::begin_again() noexcept {
  pthread_mutex_init(&mutex_, nullptr);  // another thread of the parent may have held it
  largest_ = 0;
}

}  // namespace weir::placer
