// SPDX-License-Identifier: Apache-2.0

// What a checked program and `weir check` say to each other, as datagrams over a local socket: plain structs, both of
// the same build. The program asks how an instruction touches memory, and tells what it has found; to both it waits for
// the answer.
#pragma once

#include <cstdint>

#include "checker/seam.hpp"
#include "platform/stopped_thread.hpp"

namespace weir::checker {

inline constexpr std::size_t kMostFrames = 20;
inline constexpr std::size_t kNameBytes = 64;
inline constexpr std::size_t kCodeBytes = 15;  // of the longest instruction

enum class MessageKind : std::uint32_t { hello, decode, finding, repeated, bye };

// Where code was, innermost first. All but the first are return addresses.
struct Frames {
  std::uint32_t count = 0;
  std::uint32_t first_is_exact = 0;         // the first is an instruction, not where a call returns to
  std::uint64_t address[kMostFrames] = {};  // zero from `count` on
  friend bool operator==(const Frames&, const Frames&) = default;
  std::size_t hash() const noexcept {
    std::size_t h = 0;
    for (std::uint32_t i = 0; i < count; ++i) h = hash_of(h, address[i]);
    return h;
  }
};

enum class FindingKind : std::uint32_t {
  undeclared,  // the footprint does not have these bytes
  wrong_mode,  // it has them, in a mode that does not allow this
  read_first,  // mode out: read before the task has written them
  outside,     // memory of a block, touched outside of tasks
  released,    // memory of a block that was destroyed, or that the EDT has released
  beyond,      // behind the end of a block
  untouched,   // an item that none of the tasks spawned there has touched
  unordered,   // two tasks touch the same bytes, and nothing orders them
};

// Memory that some footprint names, or a block. A copy is of a block at another rank, which lives on.
enum class RegionKind : std::uint32_t { none, memory, array, block, beyond_block, dead_block, dead_copy };

struct WireRegion {
  RegionKind kind = RegionKind::none;
  std::uint32_t unused = 0;
  std::uint64_t base = 0, run_bytes = 0, counts[2] = {1, 1}, strides[2] = {0, 0};
  std::uint64_t before = 0;  // beyond_block: bytes of the block
  char name[kNameBytes] = {};
};

struct WireTask {
  char name[kNameBytes] = {};
  std::uint64_t function = 0;  // that is called to run it
  Frames spawned;              // none: it is not known, as another process has asked for the task

  bool is_task() const noexcept { return spawned.count != 0 || function != 0; }
};

struct Finding {
  MessageKind message = MessageKind::finding;
  FindingKind kind = FindingKind::undeclared;
  WireTask task;
  Frames at;                 // of the access
  std::uint64_t number = 0;  // by which MessageKind::repeated means it
  std::uint64_t address = 0, bytes = 0;
  std::uint32_t writes = 0;
  std::uint32_t mode = 0;   // wrong_mode, untouched: of the item, a weir::Mode; OCR: ocr_mode
  std::uint32_t item = 0;   // untouched: which of the footprint, from 0
  std::uint32_t ocr = 0;    // words of OCR: an EDT, data blocks
  std::uint64_t times = 1;  // untouched: tasks
  WireRegion region;
  WireTask declarer;  // of the region: the task that named it first
  WireTask other;     // unordered: the one that ran first
  Frames other_at;
  std::uint32_t other_writes = 0;
  std::uint32_t forked = 0;    // unordered: two parts of one fork_join()
  std::uint32_t by_turns = 0;  // unordered: but for turns on a block
  std::uint32_t unused = 0;
};

struct Hello {
  MessageKind message = MessageKind::hello;
  std::uint32_t holds_system_calls = 0;
};

struct DecodeRequest {
  MessageKind message = MessageKind::decode;
  unsigned char code[kCodeBytes + 1] = {};
};

struct Repeated {
  MessageKind message = MessageKind::repeated;
  std::uint32_t unused = 0;
  std::uint64_t number = 0, times = 0;
};

// A runtime has ended; counts are since the last time.
struct Bye {
  MessageKind message = MessageKind::bye;
  std::uint32_t unused = 0;
  std::uint64_t tasks = 0, accesses = 0;
  std::uint64_t unseen = 0;      // moments in which what a task touched could not be seen
  std::uint64_t in_part = 0;     // tasks of whose accesses some were not judged
  std::uint64_t parts = 0;       // of fork_join(), and of the loops that are made of it
  std::uint64_t parts_free = 0;  // of these, outside of tasks, those that touched nothing that is watched
};

enum class Answer : std::uint32_t { go_on, stop, go_on_exactly };

}  // namespace weir::checker
