// SPDX-License-Identifier: Apache-2.0

// Spool: what the drainer has taken out of the rings, on its way into a file: units of the size of an event.
//
// The drainer appends, another thread reads. Chunks of events by track, and between them the names of what events
// mean by number: a name lies before the first event that needs it. On disk, where what has been read gives its room
// back: 32 bytes an event that is not in the file yet.
//
// SPOOL-1  append() releases size_ when the bytes are there; readable() acquires it before they are read.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "platform/scratch_file.hpp"
#include "trace/event.hpp"

namespace weir::trace {

// Units after which those that read the spool in order give back its room on the disk.
inline constexpr std::uint64_t kForgetEvery = std::uint64_t{1} << 16;

// What an event means by number.
struct Definition {
  Named what = Named::track;
  std::uint64_t number = 0;
  std::string name;
  std::uint64_t first = 0, second = 0;  // as start and duration of Kind::text
};

class Spool {
 public:
  explicit Spool(platform::ScratchFile file) noexcept : file_(std::move(file)) {}

  // ---- The drainer ----
  // Events of one track. io_error: the disk is full, or was before.
  base::Status append(std::uint64_t track, std::uint64_t pass, std::span<const Event> events) {
    const Event head{pass, 0, track, Event::pack(Kind::chunk, events.size())};
    return append(head, std::as_bytes(events));
  }
  base::Status append(const Definition& definition) {
    const Event head{definition.first, definition.second, definition.number,
                     Event::pack(Kind::text, definition.name.size(), static_cast<std::uint8_t>(definition.what))};
    std::string text = definition.name;
    text.resize((text.size() + sizeof(Event) - 1) / sizeof(Event) * sizeof(Event));
    return append(head, std::as_bytes(std::span(text.data(), text.size())));
  }

  // ---- Who reads ----
  // So many units can be read, from the first on.
  std::uint64_t readable() const noexcept { return size_.load(std::memory_order_acquire); }  // SPOOL-1
  base::Status read(std::uint64_t at, std::span<Event> to) const {
    return file_.read(at * sizeof(Event), std::as_writable_bytes(to));
  }
  // Those before it are not read any more. Called once for kForgetEvery units, since it costs a system call.
  void forget(std::uint64_t before) const noexcept { file_.forget(before * sizeof(Event)); }

 private:
  base::Status append(const Event& head, std::span<const std::byte> what) {
    if (status_) status_ = file_.append(std::as_bytes(std::span(&head, 1)));
    if (status_) status_ = file_.append(what);
    if (status_) size_.store(file_.size() / sizeof(Event), std::memory_order_release);  // SPOOL-1
    return status_;
  }

  platform::ScratchFile file_;
  base::Status status_;  // the drainer
  std::atomic<std::uint64_t> size_{0};
};

}  // namespace weir::trace
