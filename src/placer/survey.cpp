// SPDX-License-Identifier: Apache-2.0

#include "placer/survey.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cstdlib>
#include <cstring>

#include "placer/unnoticed.hpp"

namespace weir::placer {

namespace {

constexpr std::size_t kPage = 4096;  // pages larger than that are asked after in parts
constexpr std::size_t kAtOnce = 512;
constexpr std::size_t kWindow = 4096;  // pages of which the kernel is asked at once whether one is there
constexpr std::uint64_t kPresent = 1ull << 63, kOfFileOrShared = 1ull << 61, kOfOneMapping = 1ull << 56;

// Of the survey under way: a program's stack may be too small for it.
struct Buffers {
  char text[3 * kPage];
  std::uint64_t states[kAtOnce];
  void* addresses[kAtOnce];
  int nodes[kAtOnce];
  alignas(8) unsigned char touched[kWindow];
};
Buffers buffers;

bool begins(const char* text, const char* with) noexcept { return strncmp(text, with, strlen(with)) == 0; }

// What is in memory, as /proc/self/statm has it, which costs little: `shared` is pages of files and shared memory.
struct Resident {
  std::uint64_t all = 0, shared = 0;
};

Resident resident() noexcept {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[128];
  const ssize_t length = ::read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return {};
  text[length] = 0;
  const char* const second = strchr(text, ' ');
  if (second == nullptr) return {};
  char* rest = nullptr;
  const std::uint64_t all = strtoull(second, &rest, 10);
  return {all * kPage, strtoull(rest, nullptr, 10) * kPage};
}

constexpr std::uint64_t kMostOfAFault = 2ull << 20;  // a large page

// Memory that comes into a process comes by a page fault, also where the kernel touches it. No file is opened for this.
std::uint64_t page_faults() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt) + static_cast<std::uint64_t>(usage.ru_majflt);
}

// The lines of a file of /proc, which are shorter than the buffer that they share.
class Lines {
 public:
  explicit Lines(const char* path) noexcept : file_(open(path, O_RDONLY | O_CLOEXEC)) {}
  ~Lines() {
    if (file_ >= 0) close(file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  char* next() noexcept {
    char* const text = buffers.text;
    for (;;) {
      char* const begin = text + at_;
      if (char* const end = static_cast<char*>(memchr(begin, '\n', filled_ - at_)); end != nullptr) {
        *end = 0;
        at_ = static_cast<std::size_t>(end - text) + 1;
        return begin;
      }
      memmove(text, begin, filled_ - at_);
      filled_ -= at_;
      at_ = 0;
      const ssize_t more = file_ < 0 ? 0 : ::read(file_, text + filled_, sizeof buffers.text - filled_);
      if (more <= 0) return nullptr;
      filled_ += static_cast<std::size_t>(more);
    }
  }

 private:
  int file_;
  std::size_t at_ = 0, filled_ = 0;
};

// What is in memory but pages of files, which is what a survey counts; all of it where the kernel does not tell them
// apart.
struct Own {
  std::uint64_t anonymous = 0, shared = 0;
  std::uint64_t all() const noexcept { return anonymous + shared; }
};

Own own() noexcept {
  constexpr const char* kAnonymous = "RssAnon:";
  constexpr const char* kShared = "RssShmem:";
  Own result;
  bool is_told = false;
  Lines lines("/proc/self/status");
  while (const char* const line = lines.next()) {
    if (begins(line, kAnonymous)) {
      result.anonymous = strtoull(line + strlen(kAnonymous), nullptr, 10) << 10;
      is_told = true;
    }
    if (begins(line, kShared)) result.shared = strtoull(line + strlen(kShared), nullptr, 10) << 10;
  }
  return is_told ? result : Own{resident().all, 0};
}

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
    m.is_counted = (m.readable || m.writable) && !begins(path, "[v") && (!m.is_shared || !m.of_file || in_memory);
    return m;
  }
};

// Of buffers.addresses.
void Surveyor::ask(std::size_t pages, Kind kind, Count& into) noexcept {
  auto* const bytes = into.bytes[static_cast<std::size_t>(kind)];
  if (syscall(SYS_move_pages, 0, pages, buffers.addresses, nullptr, buffers.nodes, 0) != 0) {
    if (settings_.one >= 0) bytes[settings_.one] += pages * kPage;
    return;
  }
  for (std::size_t i = 0; i < pages; ++i) {
    if (buffers.nodes[i] < 0) continue;  // the page of zeros, which is everybody's
    const auto node = static_cast<std::size_t>(settings_.one >= 0 ? settings_.one : buffers.nodes[i]);
    bytes[node < kMostNodes ? node : kMostNodes - 1] += kPage;
  }
}

void Surveyor::count_part(const Mapping& mapping, std::uintptr_t begin, std::uintptr_t end, Kind kind,
                          Count& into) noexcept {
  while (begin < end) {
    const std::size_t most = (end - begin) / kPage < kAtOnce ? (end - begin) / kPage : kAtOnce;
    const ssize_t got = pread(pagemap_, buffers.states, most * sizeof buffers.states[0],
                              static_cast<off_t>(begin / kPage * sizeof buffers.states[0]));
    if (got <= 0) return;
    const std::size_t pages = static_cast<std::size_t>(got) / sizeof buffers.states[0];
    std::size_t to_ask = 0, known = 0;
    for (std::size_t i = 0; i < pages; ++i) {
      const std::uint64_t state = buffers.states[i];
      const bool is_ours = mapping.is_shared || (state & kOfFileOrShared) == 0;
      if ((state & kPresent) == 0 || !is_ours) continue;
      // The page of zeros is of no file, and of more than one mapping.
      if (settings_.one >= 0 && (state & (kOfOneMapping | kOfFileOrShared)) != 0) {
        ++known;
      } else {
        buffers.addresses[to_ask++] = reinterpret_cast<void*>(begin + i * kPage);
      }
    }
    if (known > 0) into.bytes[static_cast<std::size_t>(kind)][settings_.one] += known * kPage;
    if (to_ask > 0) ask(to_ask, kind, into);
    begin += pages * kPage;
  }
}

// Private memory may be terabytes of which little is touched: mincore() passes over the rest eight times as fast as
// pagemap is read. Of shared memory it tells what other processes have touched, too.
void Surveyor::count_where_touched(const Mapping& mapping, std::uintptr_t begin, std::uintptr_t end, Kind kind,
                                   Count& into) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);  // pages that are looked at together
  if (mapping.is_shared || end - begin <= kAtOnce * kPage) return count_part(mapping, begin, end, kind, into);
  while (begin < end) {
    const std::size_t pages = (end - begin) / kPage < kWindow ? (end - begin) / kPage : kWindow;
    const std::uintptr_t until = begin + pages * kPage;
    if (mincore(reinterpret_cast<void*>(begin), pages * kPage, buffers.touched) != 0) {
      count_part(mapping, begin, until, kind, into);
    } else {
      const std::size_t words = (pages + kWord - 1) / kWord;
      memset(buffers.touched + pages, 0, words * kWord - pages);
      const auto is_touched = [](std::size_t word) {
        std::uint64_t bytes = 0;
        memcpy(&bytes, buffers.touched + word * kWord, kWord);
        return bytes != 0;
      };
      std::size_t first = 0, beyond = words;
      while (first < words && !is_touched(first)) ++first;
      while (beyond > first && !is_touched(beyond - 1)) --beyond;
      const std::uintptr_t last = begin + beyond * kWord * kPage;
      if (first < beyond) count_part(mapping, begin + first * kWord * kPage, last < until ? last : until, kind, into);
    }
    begin = until;
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
    } known[] = {{stacks_.at_or_after(at), Kind::stacks},
                 {large_.at_or_after(at), Kind::large},
                 {kept_.at_or_after(at), Kind::large}};
    for (const auto& [range, what] : known) {
      // A stack that the program has given need not be of whole pages.
      const std::uintptr_t begin = range.begin & ~(kPage - 1), end = (range.end + kPage - 1) & ~(kPage - 1);
      if (range.end == 0 || begin >= until) continue;
      if (begin > at) {
        until = begin;
      } else {
        kind = what;
        until = end < until ? end : until;
      }
    }
    count_where_touched(mapping, at, until, kind, into);
    at = until;
  }
}

void Surveyor::survey(std::uint64_t own_bytes) noexcept {
  pagemap_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap_ < 0) return;
  const int unpublished = 1 - published_.load();
  Count& into = counts_[unpublished];
  memset(&into, 0, sizeof into);
  Lines lines("/proc/self/maps");
  Mapping before;
  while (const char* const line = lines.next()) {
    Mapping mapping = Mapping::parse(line);
    // What is zero at first in a program lies behind what its file has.
    const bool goes_on = !mapping.of_file && !mapping.is_break && before.of_file && before.writable &&
                         !before.is_shared && mapping.begin == before.end;
    mapping.of_program = !mapping.is_shared && (mapping.of_file || goes_on);
    if (mapping.is_counted) count(mapping, into);
    before = mapping;
  }
  close(pagemap_);
  published_ = unpublished;
  largest_ = own_bytes;
}

bool Surveyor::has_grown(std::uint64_t own_bytes) const noexcept { return own_bytes > largest_ + largest_ / 20; }

bool Surveyor::may_have_grown(std::uint64_t faults) const noexcept {
  const std::uint64_t since = faults - seen_faults_;
  return has_grown(seen_bytes_ + since * kMostOfAFault);
}

void Surveyor::look(std::uint64_t faults) noexcept {
  const Resident now = resident();
  const bool as_it_was = now.shared == pages_of_files_ + shared_;
  std::uint64_t bytes = as_it_was ? now.all - pages_of_files_ : now.all;
  if (has_grown(bytes)) {
    const Own ours = own();
    bytes = ours.all();
    shared_ = ours.shared;
    pages_of_files_ = now.shared > ours.shared ? now.shared - ours.shared : 0;
    if (has_grown(bytes)) survey(bytes);
  }
  seen_bytes_ = bytes;
  seen_faults_ = faults;
}

void Surveyor::consider() noexcept {
  const Unnoticed unnoticed;
  const std::uint64_t faults = page_faults();
  if (!may_have_grown(faults) || !lock_.try_hold()) return;
  if (!closing_) look(faults);
  lock_.release();
}

const Count& Surveyor::last() noexcept {
  const Unnoticed unnoticed;
  closing_ = true;
  if (lock_.hold_at_end()) {
    if (large_.can_be_read() && stacks_.can_be_read() && kept_.can_be_read())
      if (const std::uint64_t bytes = own().all(); bytes > largest_) survey(bytes);
    lock_.release();
  }
  return counts_[published_];
}

void Surveyor::begin_again() noexcept {
  largest_ = 0;
  seen_bytes_ = kNeverLooked;
  seen_faults_ = 0;
  closing_ = false;
  memset(counts_, 0, sizeof counts_);
}

}  // namespace weir::placer
