// SPDX-License-Identifier: Apache-2.0

// Call: one call of the program's, recorded in the trace of this PE when it returns.
//
//   const Call call(trace::Kind::until, trace::PeUntil::one, {word, bytes});
//
// What is called within a recorded call is not recorded; within one of Kind::none neither is the call itself. Not
// traced: one predictable branch at its begin, one at its end. On the stack of the thread that calls; the first call of
// a thread makes its track.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shmem/observe/gathering.hpp"
#include "shmem/world/world.hpp"
#include "trace/pe_events.hpp"
#include "trace/track.hpp"

namespace weir::shmem {

// Symmetric memory that a call is about; pe -1: this one's.
struct CallPlace {
  const void* symmetric = nullptr;
  std::size_t bytes = 0;
  int pe = -1;
};

class Call {
 public:
  template <class What>
  Call(trace::Kind kind, What what, const CallPlace& place) noexcept {
    if (world().is_traced) [[unlikely]]
      begin(kind, static_cast<std::uint8_t>(what), place);
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (is_entered_) [[unlikely]]
      end();
  }

 protected:
  // Of a meeting: the number that stands for a place.
  bool is_outermost() const noexcept { return is_entered_ && record_.track != nullptr; }
  void set_id(std::uint64_t id) noexcept { record_.id = id; }

 private:
  struct Record {
    const void* symmetric;
    std::size_t bytes;
    int pe;
    trace::Track* track;  // null: not recorded
    std::uint64_t start;
    std::uint64_t id;  // 0: that of the place
    trace::Kind kind;
    std::uint8_t small;
  };

  void begin(trace::Kind kind, std::uint8_t small, const CallPlace& place) noexcept;
  void end() noexcept;

  bool is_entered_ = false;
  Record record_;  // set by begin(): a call that is not traced writes none of it
};

// A call in which all members of a gathering take part.
class Meeting : public Call {
 public:
  Meeting(Gathering& gathering, trace::PeMeet what, std::size_t bytes) noexcept
      : Call(trace::Kind::meet, what, {nullptr, bytes, -1}) {
    if (is_outermost()) [[unlikely]]
      set_id(trace::PeMeeting{gathering.number, gathering.turn++}.packed());
  }
};

}  // namespace weir::shmem
