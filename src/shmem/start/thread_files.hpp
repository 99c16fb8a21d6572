// SPDX-License-Identifier: Apache-2.0

// ThreadFiles: the threads of this process, as /proc/self/task has them. Once it is open, it allocates nothing and
// takes no lock, so that it may be asked while other threads stand still in the middle of anything.
//
// One thread.
#pragma once

#include <dirent.h>

#include <charconv>
#include <cstddef>
#include <string_view>

#include "platform/descriptor.hpp"

namespace weir::shmem {

class ThreadFiles {
 public:
  // Numbers of threads are below it: PID_MAX_LIMIT of the kernel.
  static constexpr std::size_t kMostThreads = std::size_t{1} << 22;

  // Ends the program when there is no /proc.
  ThreadFiles();

  // Calls `look` with the kernel's number of each thread, this one's too.
  template <class Look>
  void each(Look&& look);
  // Whether the thread blocks the signal, or has ended.
  bool blocks(int thread, int signal) const noexcept;

 private:
  // Entries of the folder from where the last call stopped; 0: no more.
  std::size_t read_entries() noexcept;
  void rewind() noexcept;

  platform::Descriptor folder_;
  alignas(dirent64) char entries_[4096];
};

template <class Look>
void ThreadFiles::each(Look&& look) {
  rewind();
  for (std::size_t bytes; (bytes = read_entries()) > 0;) {
    for (std::size_t at = 0; at < bytes;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(entries_ + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      int thread = 0;  // it stays 0 for "." and ".."
      std::from_chars(name.data(), name.data() + name.size(), thread);
      if (thread > 0) look(thread);
    }
  }
}

}  // namespace weir::shmem
