// SPDX-License-Identifier: Apache-2.0

// What a worker process does: takes tasks from its mailbox, makes their footprints fresh, runs them, writes back.
#pragma once

#include <cstdint>
#include <functional>

#include "island/memory.hpp"
#include "island/message.hpp"

namespace weir::island {

struct WorkerSetup {
  int index = 0;  // from 1 on
  std::uint32_t workers = 1;
  bool shares = false;    // they ask each other for tasks
  bool is_rung = false;   // the master rings when it has posted a task (rings_workers())
  int park_after_us = 0;  // how long an idle worker looks without a pause before it sleeps between looks
  const std::byte* heap = nullptr;
  std::size_t heap_bytes = 0;
  // Where nobody ends the worker with its master: looks whether the master is there, and does not return if it is not.
  std::function<void()> master_is_gone{};
  bool check_writes = false;  // whether what a task writes beside its footprint is looked for: memory `checked`
};

// Where caches are coherent. Workers that share sleep briefly instead: they wait for others than the master, too.
constexpr bool rings_workers(IslandMemory memory, bool shares) noexcept {
  return memory == IslandMemory::coherent && !shares;
}

// Runs tasks until the letter that ends it. `mailboxes`: of all workers.
void work(SharedMemory& memory, Mailbox* mailboxes, const WorkerSetup& setup);

}  // namespace weir::island
