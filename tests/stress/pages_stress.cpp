// SPDX-License-Identifier: Apache-2.0

// docs/protocols/pages.md: an arena grows while another thread prepares its pages, and the system refuses at random.
#include <atomic>
#include <memory>
#include <random>
#include <vector>

#include "data/preparer.hpp"
#include "memory/arena.hpp"
#include "stress.hpp"

namespace {

using weir::Bytes;
using weir::memory::Arena;
using weir::stress::Stress;

constexpr std::size_t kMiB = std::size_t{1} << 20, kBudget = 512 * kMiB;

// Books of which pages there are, in pieces of 4096 bytes. What it refuses it refuses half-way, as the kernel does.
class Books final : public weir::memory::Backing {
 public:
  Books(unsigned seed, unsigned one_in) : seed_(seed), one_in_(one_in), pages_(kBudget / Arena::kPage) {}

  weir::memory::BackingKind kind() const noexcept override { return weir::memory::BackingKind::none; }
  Bytes size() const noexcept override { return {kBudget}; }
  weir::base::Status populate(std::uint64_t offset, std::size_t bytes) override {
    if (give(offset, bytes)) return weir::base::Status::success();
    release(offset, bytes);
    return {weir::base::Code::no_space, "refused"};
  }
  bool prepare(std::uint64_t offset, std::size_t bytes) const noexcept override { return give(offset, bytes); }
  void release(std::uint64_t offset, std::size_t bytes) noexcept override { set(offset, bytes, false); }

  bool has(std::uint64_t from, std::uint64_t to) const {
    for (std::uint64_t page = from / Arena::kPage; page < to / Arena::kPage; ++page)
      if (!pages_[page].load()) return false;
    return true;
  }

 private:
  bool give(std::uint64_t offset, std::size_t bytes) const {
    std::minstd_rand random(seed_ + asked_.fetch_add(1));
    random.discard(2);
    const bool refuses = one_in_ != 0 && random() % one_in_ == 0;
    set(offset, refuses ? bytes / 2 : bytes, true);
    return !refuses;
  }
  void set(std::uint64_t offset, std::size_t bytes, bool there) const {
    for (std::uint64_t page = offset / Arena::kPage; page < (offset + bytes) / Arena::kPage; ++page)
      pages_[page].store(there);
  }

  const unsigned seed_, one_in_;
  mutable std::atomic<unsigned> asked_{0};
  mutable std::vector<std::atomic<bool>> pages_;
};

// As data::Store does it: all but the preparing under one lock, here by one thread.
void grow_one(Stress& stress) {
  auto made = std::make_unique<Books>(stress.random(), stress.below(4) * 6);
  const Books& books = *made;
  const auto arena =
      Arena::make({.name = "books0", .os_nodes = {}, .budget = {kBudget}, .memory = {}}, std::move(made));
  stress.check(bool(arena), "an arena on books");
  weir::data::Preparer preparer;
  std::size_t seen = 0, expected = stress.below(3) * 40 * kMiB;
  for (;;) {
    const Arena::Range due = (*arena)->growth_due(expected);
    if (due.bytes != 0 && preparer.prepare(**arena, due)) (*arena)->announce(due);
    const bool taken = (*arena)->allocate(Arena::kPage * (1 + stress.below(3000))) != Arena::kNowhere;
    stress.check(books.has(seen, (*arena)->populated()), "what the arena took has pages");
    seen = (*arena)->populated();
    if (stress.below(8) == 0) std::this_thread::yield();
    if (!taken) break;
  }
  stress.check(books.has(0, seen), "what the arena has keeps its pages");
  const bool refused = !(*arena)->failure();
  stress.check(refused ? (*arena)->budget() == seen : kBudget - seen < 16 * kMiB, "it ends for a reason");
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  const long rounds = stress.repeat("growing an arena", [&] { grow_one(stress); });
  std::printf("%ld arenas\n", rounds);
}
