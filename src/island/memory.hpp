// SPDX-License-Identifier: Apache-2.0

// Memory that processes share without coherent caches: visibility is an explicit step with a name.
//
// An *island* is a set of cores whose caches are coherent among themselves, here one process; memory is shared by all.
// What a process writes is in memory when write_back() has returned; what it reads is as new as memory was at its last
// invalidate() of that line, or newer. Caches work in lines: a line that two processes write between two such steps
// loses the writes of one, so each line has one writer at a time. No atomic read-modify-write crosses an island.
//
// SharedMemory is mapped before the processes are forked, at one address in all of them. Its kinds:
//   coherent  the processor keeps caches coherent: the steps order accesses and cost nothing more
//   flush     lines are written back and thrown out of the cache by instructions (CXL memory shared by hosts)
//   checked   each process works on a copy of its own, lines travel at these steps only: what a missing step, or a
//             footprint that says too little, would do where caches are not coherent is seen on any machine
//
// One thread of a process at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "island/segment.hpp"
#include "weir/options.hpp"

namespace weir::island {

inline constexpr std::size_t kLine = 64;  // bytes; what caches move

class Memory {
 public:
  virtual ~Memory() = default;
  // What this process wrote to the lines of [data, data + bytes) is in memory.
  virtual void write_back(const void* data, std::size_t bytes) noexcept = 0;
  // What it reads of these lines from now on is as new as memory is now. It has no writes there that are not written
  // back: those would be lost. Before a process writes lines, too, also when it will write all of their bytes: what it
  // has of them may be old, and `checked` knows a write by the difference that it makes.
  virtual void invalidate(const void* data, std::size_t bytes) noexcept = 0;
  // False where the processor keeps caches equal: one step orders all that is around it, whatever range it names.
  virtual bool moves_lines() const noexcept { return true; }
  // `checked` only: a line of [data, data + bytes) that this process wrote and has not written back; null: none.
  virtual const void* find_unwritten(const void* data, std::size_t bytes) const noexcept = 0;
};

class SharedMemory : public Memory {
 public:
  // As map_segment(). `seed`: of the checker, which writes back and reads again lines by chance, as caches do of their
  // own accord; 0: it does not. Also unsupported where the processor cannot flush.
  static base::Result<std::unique_ptr<SharedMemory>> map(const Segment& segment, IslandMemory kind, std::uint64_t seed);

  virtual std::byte* data() const noexcept = 0;
  virtual Bytes size() const noexcept = 0;
  // In a forked child, before it touches the memory: its cache starts empty. `process`: for the checker's chance.
  virtual void enter_process(int process) noexcept = 0;
  // What it lies in.
  virtual memory::SharedBacking& backing() noexcept = 0;
};

}  // namespace weir::island
