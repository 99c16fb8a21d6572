// SPDX-License-Identifier: Apache-2.0

// Awaited: what a wait is for, as whoever looks at a program that stands still is told it; and the Watcher, to which a
// wait says it when it has got long.
//
// Made of what the waiting routine has at hand; nothing of it is used while a wait is short.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::shmem {

// The members of a group, for a wait in a collective call of it.
struct Crew {
  struct Member {
    int pe = 0;
    // How many steps it has ended (Area::done), as it is mapped here; null: it is on another node.
    const std::atomic<std::uint64_t>* ended = nullptr;
  };
  std::vector<Member> members;
  // The last step that a member of this node has ended, or in which it has said something.
  std::uint64_t (*last_step)(const Member& member) noexcept = nullptr;
  // Those of other nodes that lead them: how many steps of leaders they have ended, by symmetric pointers.
  std::vector<Member> far_leaders;
};

struct Awaited {
  enum class Kind : std::uint32_t {
    unknown,
    word,        // a word of this PE's own
    words,       // some of several
    lock,        // `word` is the lock, `pe` the one before in the queue
    collective,  // the members of `crew` that have not come to `step`
    pe,          // something that `pe` does
  };
  Kind kind = Kind::unknown;
  int comparison = 0;       // as in shmem.h
  std::uint32_t bytes = 0;  // of a word
  bool is_signed = true;    // its type
  int pe = -1;
  const void* word = nullptr;
  std::uint64_t wanted = 0;  // sign-extended where the type is signed
  std::size_t words = 0;
  const Crew* crew = nullptr;
  std::uint64_t step = 0;      // 0: the wait is not for members of this node
  std::uint64_t far_step = 0;  // of leaders; 0: it is not for them
};

// Told of waits that have got long. Any thread.
class Watcher {
 public:
  // A number for the others; -1: it has no memory for it.
  virtual int begin(const Awaited& what) noexcept = 0;
  virtual void end(int number) noexcept = 0;
  // The PE without which the wait cannot end, and which has left; -1: there is none. A caller that finds one, looks
  // once more at what it waits for, and then finds one again waits in vain.
  virtual int left_without(const Awaited& what) noexcept = 0;
  // The caller has looked at what it waits for since it called last, or since begin(), and goes on waiting. Does not
  // return when all PEs wait, and nothing can end that. Whether this PE waits for nothing but others, who may do the
  // same: then it is to look often.
  virtual bool go_on(int number, const Awaited& what, std::uint64_t waited_ns) noexcept = 0;

 protected:
  ~Watcher() = default;
};

}  // namespace weir::shmem
