// SPDX-License-Identifier: Apache-2.0

// Submission: what a program has spawned so far, as a number that is the same when it spawns the same again.
//
// Points are the waits outside of tasks, counted from 1. At some of them, evenly spread and kMostMarks at most, the
// number is remembered, so that a run that goes another way is told between which two it does. A value.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weir::checkpoint {

class Submission {
 public:
  struct Mark {
    std::uint64_t point = 0;
    std::uint64_t tasks = 0;  // spawned before it
    std::uint64_t hash = 0;
    friend bool operator==(const Mark&, const Mark&) = default;
  };
  static constexpr std::size_t kMostMarks = 1 << 12;

  // Some items of a task: note_item() of each, with the number in a register in between. For as long as that takes.
  class Items {
   public:
    explicit Items(Submission& submission) noexcept : submission_(submission), hash_(submission.now_.hash) {}
    Items(const Items&) = delete;
    Items& operator=(const Items&) = delete;
    ~Items() { submission_.now_.hash = hash_; }
    // One step for both: a mode has three bits, which only numbers from 2^61 on have, too.
    void note(std::uint64_t what, unsigned mode) noexcept { hash_ = mixed(hash_, std::rotl(what, 3) ^ mode); }

   private:
    Submission& submission_;
    std::uint64_t hash_;
  };

  // First of all: which of the process's runtimes it is of.
  void note_runtime(std::uint32_t number) noexcept { mix(number); }
  // A task with that name; note_item() for each item of its footprint follows.
  void note_task(std::string_view name) noexcept {
    ++now_.tasks;
    mix(name.size());
    if (!name.empty()) mix_text(name);
  }
  // `what`: the block that it is, or how many bytes of the program.
  void note_item(std::uint64_t what, unsigned mode) noexcept { Items(*this).note(what, mode); }
  // Where the program is now: the point that it has come to.
  const Mark& note_point();

  // Of what has no points: it is that moment, whatever was before.
  void note_moment(std::uint64_t moment) noexcept {
    now_ = Mark{};
    mix(moment);
  }

  const Mark& now() const noexcept { return now_; }
  const std::vector<Mark>& marks() const noexcept { return marks_; }

 private:
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) noexcept {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
  }
  void mix(std::uint64_t word) noexcept { now_.hash = mixed(now_.hash, word); }
  void mix_text(std::string_view text) noexcept;

  Mark now_{0, 0, 0x243f6a8885a308d3};
  std::vector<Mark> marks_;
  std::uint64_t stride_ = 1;  // points from mark to mark
};

}  // namespace weir::checkpoint
