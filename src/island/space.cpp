// SPDX-License-Identifier: Apache-2.0

#include "island/space.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "island/attach.hpp"
#include "island/checked_memory.hpp"
#include "island/patience.hpp"
#include "island/spill.hpp"
#include "island/worker.hpp"
#include "platform/clock.hpp"
#include "runtime/value_or_throw.hpp"
#include "weir/error.hpp"

namespace weir::island {

using runtime::value_or_throw;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::uint64_t kLongestEnd = 1'000'000'000;              // ns that it waits for one of another master to end
constexpr std::uint64_t kLongestWaitForProgram = 60'000'000'000;  // ns that a master waits for a program to attach

// What a file or a device held before is no letter.
void clear(SharedMemory& memory, std::size_t bytes) {
  memory.invalidate(memory.data(), bytes);
  std::memset(memory.data(), 0, bytes);
  memory.write_back(memory.data(), bytes);
}

}  // namespace

Space::Space(const Options& options, int workers, int attached, bool shares)
    : options_(options),
      workers_(workers),
      attached_(attached),
      shares_(shares),
      segment_(value_or_throw(Segment::from(options))) {
  const auto count = static_cast<std::size_t>(workers);
  const std::size_t align = segment_.places > 1 ? std::max(segment_.stripe, kLine) : kLine;
  const std::size_t mail = (sizeof(HeadLetter) + count * sizeof(Mailbox) + align - 1) / align * align;
  const std::size_t heap = static_cast<std::size_t>(options.island_heap) * kMiB;
  map(mail + heap);
  room_.emplace(memory_->backing(), options.island_memory == IslandMemory::checked ? CheckedMemory::kCopies : 0);
  if (const base::Status status = room_->check(mail); !status)
    throw Error(fmt::format(
        "no memory for the messages of islands: {}: ask for fewer workers, or allow the program more memory",
        status.message));
  const bool zeros = segment_.file.empty();
  if (!zeros) clear(*memory_, mail);
  for (std::size_t i = 0; i < count; ++i) ::new (memory_->data() + sizeof(HeadLetter) + i * sizeof(Mailbox)) Mailbox;
  heap_.emplace(memory_->data() + mail, heap, zeros, mail);
  if (presence_) post_head();
}

void Space::map(std::size_t bytes) {
  const auto seed = static_cast<std::uint64_t>(options_.island_seed);
  Segment segment = segment_;
  segment.size = {bytes};
  segment.keeps_name = attached_ != 0;
  if (attached_ != 0) segment.address = shared_address();
  auto memory = SharedMemory::map(segment, options_.island_memory, seed);
  if (!memory && segment.address != nullptr) {  // another master has it there
    segment.address = nullptr;
    memory = SharedMemory::map(segment, options_.island_memory, seed);
  }
  memory_ = value_or_throw(std::move(memory));
  if (!segment_.file.empty()) claim();
}

// Before anything is written there: two masters would be two writers of each line. A worker of a master that has died
// sees that within 50 ms, unless it is in a task.
void Space::claim() {
  presence_.emplace(memory_->backing().descriptor(), segment_.file);
  const bool has_it = presence_->take(Presence::kMaster);
  if (!has_it && presence_->is_held(Presence::kMaster)) {
    const auto head = presence_->is_held(Presence::kHeadPosted) ? look_at_head(*memory_) : std::nullopt;
    throw Error(
        fmt::format("island_segment={}: {} is a master in it: name another file, or wait until that one has "
                    "ended",
                    segment_.file, head ? fmt::format("process {}", head->master) : "another process"));
  }
  if (!has_it && attached_ != 0) {
    throw Error(
        fmt::format("island_segment={}: it takes no locks (fcntl), by which programs that attach are looked "
                    "after: name a file of another file system",
                    segment_.file));
  }
  const std::uint64_t start = platform::now_ns();
  for (Patience patience(0); presence_->has_workers(); static_cast<void>(patience.wait())) {
    if (platform::now_ns() - start < kLongestEnd) continue;
    throw Error(
        fmt::format("island_segment={}: a worker of a master that has ended is still in a task there, and "
                    "writes to it: end that process, or name another file",
                    segment_.file));
  }
}

void Space::post_head() {
  const SegmentHead head{SegmentHead::kMagic,
                         reinterpret_cast<std::uintptr_t>(memory_->data()),
                         memory_->size().count,
                         static_cast<std::uint64_t>(heap_->start() - memory_->data()),
                         heap_->bytes(),
                         static_cast<std::uint64_t>(options_.island_seed),
                         static_cast<std::uint64_t>(::getpid()),
                         static_cast<std::uint32_t>(options_.island_memory),
                         static_cast<std::uint32_t>(workers_),
                         static_cast<std::uint32_t>(attached_),
                         static_cast<std::uint32_t>(options_.park_after),
                         shares_ ? 1u : 0u};
  auto* const letter = ::new (memory_->data()) HeadLetter;
  std::memcpy(letter->payload().data(), &head, sizeof head);
  letter->post(*memory_, 1, sizeof head);
  static_cast<void>(presence_->take(Presence::kHeadPosted));
}

Mailbox& Space::mailbox(int worker) const noexcept {
  return reinterpret_cast<Mailbox*>(memory_->data() + sizeof(HeadLetter))[worker - 1];
}

Process Space::fork_worker(int worker, std::optional<int> os_cpu) {
  const bool checks = options_.island_memory == IslandMemory::checked;
  const WorkerSetup setup{worker,
                          static_cast<std::uint32_t>(workers_),
                          shares_,
                          rings_workers(options_.island_memory, shares_),
                          options_.park_after,
                          heap_->start(),
                          heap_->bytes(),
                          {},
                          checks};
  return value_or_throw(Process::fork(worker, os_cpu, [&] {
    memory_->enter_process(worker);
    work(*memory_, &mailbox(1), setup);
  }));
}

Heap::Piece Space::allocate(std::size_t bytes, std::size_t alignment) {
  const Heap::Piece piece = heap_->allocate(bytes, alignment);
  if (piece.data != nullptr) {
    const base::Status status = room_->check(static_cast<std::uint64_t>(piece.data + piece.bytes - memory_->data()));
    if (status) return piece;
    static_cast<void>(heap_->give_back(piece.data));
    throw Error(
        fmt::format("{} bytes of memory that islands share were asked for, of which {} bytes are in use: {}: "
                    "ask for less, or allow the program more memory",
                    bytes, heap_->used(), status.message));
  }
  throw Error(
      fmt::format("{} bytes of memory that islands share were asked for; of {} MiB {} bytes are in use, the "
                  "largest free piece has {}: raise WEIR_ISLAND_HEAP, or free() what is not needed",
                  bytes, options_.island_heap, heap_->used(), heap_->largest_free()));
}

void Space::close() noexcept {
  if (attached_ != 0) {
    // Memory that `weir run` holds keeps the seal when this process is gone. What takes no seal has the lock alone.
    static_cast<void>(::fcntl(memory_->backing().descriptor(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK));
    static_cast<void>(presence_->take(Presence::kAllAttached));
  }
  memory_->backing().remove_name();
}

std::string Space::spilled() const {
  const auto used = static_cast<std::uint64_t>(heap_->end_of_used() - memory_->data());
  return find_spill(memory_->backing(), segment_, used).text(options_.island_nodes);
}

// It says hello when it has attached.
Process Space::wait_for_worker(int worker) {
  const std::uint64_t start = platform::now_ns();
  Patience patience(0);
  HelloLetter& letter = mailbox(worker).hello;
  auto found = letter.take(*memory_, 1);
  for (; !found; found = letter.take(*memory_, 1)) {
    static_cast<void>(patience.wait());
    if (platform::now_ns() - start < kLongestWaitForProgram) continue;
    throw Error(
        fmt::format("worker {} has not attached to {} within {} s: as many programs are needed as "
                    "MasterOptions::attached says; weir run --islands N starts them",
                    worker, options_.island_segment, kLongestWaitForProgram / 1'000'000'000));
  }
  Hello hello;
  std::memcpy(&hello, found->data(), sizeof hello);
  return Process::attached(static_cast<pid_t>(hello.pid), hello.numbering, *presence_,
                           static_cast<std::uint32_t>(worker));
}

}  // namespace weir::island
