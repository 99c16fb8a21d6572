// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/fork.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "shmem/start/file_mapping.hpp"
#include "shmem/start/touched_pages.hpp"

namespace weir::shmem {

namespace {

// In pages of its own outside of the static data, which are shared when the child begins.
struct Forking {
  pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
  const SharedData* data = nullptr;
  int pipe[2] = {-1, -1};  // the child closes its end when it has its copy
  bool is_child = false;
};
Forking* forking = nullptr;

void close_end(int& end) noexcept {
  if (end >= 0) ::close(end);
  end = -1;
}

// Children of a child that has its own data are ordinary.
void before_fork() {
  if (forking->is_child) return;
  pthread_mutex_lock(&forking->one_at_a_time);
  if (pipe2(forking->pipe, O_CLOEXEC) != 0) forking->pipe[0] = forking->pipe[1] = -1;
}

void after_fork_in_parent() {
  if (forking->is_child) return;
  const int error = errno;
  close_end(forking->pipe[1]);
  char byte = 0;
  while (forking->pipe[0] >= 0 && ::read(forking->pipe[0], &byte, 1) < 0 && errno == EINTR) {
  }
  close_end(forking->pipe[0]);
  pthread_mutex_unlock(&forking->one_at_a_time);
  errno = error;
}

// A child with the PE's own pages would write into them: it must not go on.
[[noreturn]] void end_child() {
  constexpr char text[] = "weir: a forked child of a PE gets no memory for its static data: it ends\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text, sizeof(text) - 1);
  _exit(1);
}

// Puts a part of the copy in the place of what it is a copy of.
void put_in_place(std::byte* copy, const Mapping& part) {
  const std::size_t bytes = part.end - part.begin;
  auto* const begin = reinterpret_cast<std::byte*>(part.begin);
  if (part.protection != (PROT_READ | PROT_WRITE)) mprotect(copy, bytes, part.protection);
  if (mremap(copy, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, begin) != begin) end_child();
}

// Nothing of the program's may be called, as an allocator of its own, before all its data are the child's.
void make_private(const SharedRange& shared) {
  const DataRange& range = shared.range;
  void* const copy =
      mmap(nullptr, range.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) end_child();
  auto* const from = static_cast<std::byte*>(copy);
  if (!copy_touched(forking->data->descriptor, shared.offset, {from, range.size()})) end_child();
  // Each part stays protected as it is.
  Mappings mappings;
  if (!mappings.is_known()) put_in_place(from, {range.begin, range.end, range.protection});
  for (Mapping one; mappings.is_known() && mappings.next(one) && one.begin < range.end;) {
    const Mapping part{std::max(one.begin, range.begin), std::min(one.end, range.end), one.protection};
    if (part.begin < part.end) put_in_place(from + (part.begin - range.begin), part);
  }
  if (mappings.is_known() && mappings.has_failed()) end_child();
}

void after_fork_in_child() {
  Forking& own = *forking;
  if (own.is_child) return;
  for (const SharedRange& shared : own.data->ranges) make_private(shared);
  own.is_child = true;
  close_end(own.pipe[0]);
  close_end(own.pipe[1]);
  own.one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
}

}  // namespace

void keep_private_in_children(const SharedData& data) {
  if (forking == nullptr) {
    forking = new Forking;
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  }
  forking->data = &data;
}

bool is_forked_child() noexcept { return forking != nullptr && forking->is_child; }

}  // namespace weir::shmem
