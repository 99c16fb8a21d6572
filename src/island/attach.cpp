// SPDX-License-Identifier: Apache-2.0

#include "island/attach.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>
#include <string_view>

#include "base/sanitizers.hpp"
#include "island/flush_memory.hpp"
#include "island/presence.hpp"
#include "island/runner.hpp"
#include "island/worker.hpp"
#include "platform/clock.hpp"

namespace weir::island {

namespace {

constexpr std::uint64_t kLongestWaitForMaster = 60'000'000'000;  // ns that a program waits for its master

void nap() noexcept {
  constexpr timespec kNap{0, 2'000'000};
  ::nanosleep(&kNap, nullptr);
}

// The head of a master that lives and waits for programs; none: not yet.
std::optional<SegmentHead> read_head(const std::string& file) {
  if (::access(file.c_str(), F_OK) != 0) return std::nullopt;
  Segment segment;
  segment.file = file;
  segment.attach = true;
  auto memory = SharedMemory::map(segment, FlushMemory::usable() ? IslandMemory::flush : IslandMemory::coherent, 0);
  if (!memory || (*memory)->size().count < sizeof(HeadLetter)) return std::nullopt;  // it is being made
  const Presence presence((*memory)->backing().descriptor(), file);
  if (!presence.is_held(Presence::kHeadPosted)) return std::nullopt;
  const auto head = look_at_head(**memory);
  if (!head || head->attached == 0 || !presence.is_held(Presence::kHeadPosted)) return std::nullopt;
  if (head->magic == SegmentHead::kMagic) return head;
  throw Error(fmt::format("{}: its master, process {}, is of another version of Weir", file, head->master));
}

SegmentHead wait_for_head(const std::string& file) {
  const std::uint64_t start = platform::now_ns();
  while (platform::now_ns() - start < kLongestWaitForMaster) {
    if (const auto head = read_head(file)) return *head;
    nap();
  }
  throw Error(
      fmt::format("{}: no master has made it within {} s; a program with a weir::island::Master is needed whose "
                  "island_segment it is, and whose MasterOptions::attached says how many attach",
                  file, kLongestWaitForMaster / 1'000'000'000));
}

// The first place that nobody has.
std::uint32_t take_place(const Presence& presence, const SegmentHead& head, const std::string& file) {
  for (std::uint32_t worker = head.workers - head.attached + 1; worker <= head.workers; ++worker)
    if (presence.take(worker)) return worker;
  throw Error(fmt::format("{}: all {} programs that its master, process {}, waits for have attached", file,
                          head.attached, head.master));
}

}  // namespace

std::optional<SegmentHead> look_at_head(SharedMemory& memory) noexcept {
  const auto letter = reinterpret_cast<HeadLetter*>(memory.data())->take(memory, 1);
  if (!letter || letter->size() != sizeof(SegmentHead)) return std::nullopt;
  SegmentHead head;
  std::memcpy(&head, letter->data(), sizeof head);
  return head;
}

std::byte* shared_address() noexcept {
#if WEIR_TSAN
  return nullptr;  // it gives programs a few ranges of addresses only
#else
  return reinterpret_cast<std::byte*>(std::uintptr_t{1} << 45);  // 48 bits and fewer have nothing of their own there
#endif
}

std::string where_it_is_found(const std::string& told) {
  const std::size_t at = told.find("/fd/");
  if (!told.starts_with("/proc/") || at == told.npos) return told;
  std::string own = "/proc/self" + told.substr(at);
  std::array<char, 64> target{};
  const bool has_it = ::readlink(own.c_str(), target.data(), target.size()) > 0 &&
                      std::string_view(target.data(), target.size()).starts_with(fmt::format("/memfd:{}", kHeldMemory));
  if (!has_it) return told;
  ::fcntl(std::atoi(told.c_str() + at + 4), F_SETFD, FD_CLOEXEC);
  return own;
}

void attach(const std::string& file) {
  if (in_worker()) throw Error("attach() in a process that is a worker");
  const SegmentHead head = wait_for_head(file);
  Segment segment;
  segment.size = {head.bytes};
  segment.file = file;
  segment.attach = true;
  segment.address = reinterpret_cast<std::byte*>(head.address);
  auto memory = SharedMemory::map(segment, static_cast<IslandMemory>(head.kind), head.seed);
  if (!memory) {
    throw Error(fmt::format("{}: it cannot be mapped at {:#x}, where its master, process {}, has it: {}", file,
                            head.address, head.master, memory.status().message));
  }
  SharedMemory& shared = **memory;
  const Presence presence(shared.backing().descriptor(), file);
  const std::uint32_t worker = take_place(presence, head, file);
  ::prctl(PR_SET_NAME, fmt::format("weir-island-{}", worker).c_str());
  ::signal(SIGINT, SIG_IGN);  // of the terminal, to all of them: what it means is the master's to say
  shared.enter_process(static_cast<int>(worker));
  const WorkerSetup setup{static_cast<int>(worker),
                          head.workers,
                          head.shares != 0,
                          rings_workers(static_cast<IslandMemory>(head.kind), head.shares != 0),
                          static_cast<int>(head.park_after),
                          shared.data() + head.heap,
                          head.heap_bytes,
                          [&] {
                            const auto now = look_at_head(shared);
                            const bool same = now && now->master == head.master;
                            if (same && presence.is_held(Presence::kMaster)) return;
                            throw Error(fmt::format("worker {} (process {}) of {}: its master, process {}, is gone",
                                                    worker, ::getpid(), file, head.master));
                          },
                          static_cast<IslandMemory>(head.kind) == IslandMemory::checked};
  auto* const mailboxes = reinterpret_cast<Mailbox*>(shared.data() + sizeof(HeadLetter));
  work(shared, mailboxes, setup);
}

}  // namespace weir::island
