// SPDX-License-Identifier: Apache-2.0

// TemporaryName: a file or a folder that is to go with this process, also when a signal ends it.
//
// Values that are moved. One thread at a time makes and destroys them; a signal handler on any thread may remove
// meanwhile what they stand for.
#pragma once

#include <atomic>
#include <string>
#include <utility>

#include "base/result.hpp"

namespace weir::platform {

class TemporaryName {
 public:
  TemporaryName() = default;  // none
  // From now on remove_temporary_files() removes what is there by that name, a folder with all that is in it. It need
  // not be there yet. io_error: the name is longer than those of files are.
  static base::Result<TemporaryName> of(const std::string& path);
  static bool is_known(const std::string& path);

  TemporaryName(TemporaryName&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  TemporaryName& operator=(TemporaryName&& other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~TemporaryName() { forget(); }

  explicit operator bool() const noexcept { return entry_ != nullptr; }
  // It stays from now on.
  void forget() noexcept;

 private:
  struct Entry;
  friend void remove_temporary_files() noexcept;
  explicit TemporaryName(Entry* entry) : entry_(entry) {}

  static std::atomic<Entry*> first;  // of all; handlers read it
  static Entry* first_unused;

  Entry* entry_ = nullptr;
};

// What all names stand for. Async-signal-safe; the names stay known.
void remove_temporary_files() noexcept;

}  // namespace weir::platform
