// SPDX-License-Identifier: Apache-2.0

// Workers that share tasks (docs/protocols/sharing.md): threads over coherent memory, as that is what ThreadSanitizer
// sees. The thread that is their master gives tasks to some of them only, and collects them in any order.
#include <sched.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "island/code.hpp"
#include "island/worker.hpp"
#include "stress.hpp"

namespace {

using namespace weir::island;
using weir::IslandMemory;
using weir::stress::Stress;

// Adds one to each cell, and takes its time now and then.
void add_one(void* function, const weir::Access* footprint) {
  std::uint32_t spins;
  std::memcpy(&spins, function, sizeof spins);
  auto* const cell = static_cast<std::uint64_t*>(const_cast<void*>(footprint[0].region.base));
  ++*cell;
  for (std::uint32_t i = 0; i < spins; ++i) sched_yield();
}

struct Given {
  std::uint32_t number, cell;
  bool done;
};

class Crew {
 public:
  Crew(Stress& stress, std::uint32_t workers, std::size_t cells)
      : stress_(stress), cells_(cells), given_(workers), next_(workers, 1) {
    const std::size_t mail = workers * sizeof(Mailbox);
    auto memory = SharedMemory::map({{mail + cells * kLine}}, IslandMemory::coherent, 0);
    stress.check(static_cast<bool>(memory), "no memory");
    memory_ = std::move(*memory);
    mailboxes_ = reinterpret_cast<Mailbox*>(memory_->data());
    for (std::uint32_t i = 0; i < workers; ++i) ::new (mailboxes_ + i) Mailbox;
    heap_ = memory_->data() + mail;
    setups_.resize(workers);
    for (std::uint32_t i = 0; i < workers; ++i) {
      setups_[i].index = static_cast<int>(i) + 1;
      setups_[i].workers = workers;
      setups_[i].shares = true;
      threads_.emplace_back([this, i] { work(*memory_, mailboxes_, setups_[i]); });
    }
  }
  // Its tasks have all been collected.
  void end() {
    for (std::uint32_t i = 0; i < given_.size(); ++i) {
      TaskHead last{};
      TaskLetter& letter = mailboxes_[i].slot(next_[i]).task;
      std::memcpy(letter.payload().data(), &last, sizeof last);
      letter.post(*memory_, next_[i], sizeof last);
    }
    for (std::thread& thread : threads_) thread.join();
  }
  // False: the worker has all that it has room for.
  bool give(std::uint32_t worker, std::uint32_t cell, std::uint32_t spins) {
    if (given_[worker].size() == Mailbox::kSlots) return false;
    const TaskHead head{codes_.name_of(&add_one), nullptr, 1, sizeof spins, 0};
    const Item item{{heap_ + cell * kLine, kLine, 1, kLine}, static_cast<std::uint64_t>(weir::Mode::inout)};
    TaskLetter& letter = mailboxes_[worker].slot(next_[worker]).task;
    std::byte* const to = letter.payload().data();
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + sizeof head, &item, sizeof item);
    std::memcpy(to + sizeof head + sizeof item, &spins, sizeof spins);
    letter.post(*memory_, next_[worker], sizeof head + sizeof item + sizeof spins);
    given_[worker].push_back({next_[worker], cell, false});
    next_[worker] = Mailbox::after(next_[worker]);
    return true;
  }
  // Calls f(cell) for each task that has been done.
  template <class F>
  void collect(F f) {
    for (std::uint32_t worker = 0; worker < given_.size(); ++worker) {
      for (Given& given : given_[worker]) {
        if (given.done) continue;
        const auto letter = mailboxes_[worker].slot(given.number).done.take(*memory_, given.number);
        if (!letter) continue;
        Done done;
        std::memcpy(&done, letter->data(), sizeof done);
        stress_.check(done.failed == 0, "a task failed");
        elsewhere_ += done.by != worker;
        given.done = true;
        f(given.cell);
      }
      while (!given_[worker].empty() && given_[worker].front().done) given_[worker].erase(given_[worker].begin());
    }
  }
  std::uint64_t value(std::uint32_t cell) const {
    std::uint64_t value;
    std::memcpy(&value, heap_ + cell * kLine, sizeof value);
    return value;
  }
  std::uint64_t elsewhere() const { return elsewhere_; }
  std::size_t cells() const { return cells_; }

 private:
  Stress& stress_;
  const std::size_t cells_;
  std::unique_ptr<SharedMemory> memory_;
  Mailbox* mailboxes_ = nullptr;
  std::byte* heap_ = nullptr;
  CodeNames codes_;
  std::vector<std::vector<Given>> given_;  // by worker
  std::vector<std::uint32_t> next_;
  std::vector<WorkerSetup> setups_;
  std::vector<std::thread> threads_;
  std::uint64_t elsewhere_ = 0;
};

// A cell is in one task at a time; the workers that are given any are few, so that the others have to ask.
std::uint64_t one_round(Stress& stress) {
  const std::uint32_t workers = 2 + stress.below(4), favoured = 1 + stress.below(workers);
  Crew crew(stress, workers, 4 + stress.below(60));
  std::vector<std::uint64_t> expected(crew.cells());
  std::vector<bool> busy(crew.cells());
  const std::uint32_t tasks = 200 + stress.below(400);
  std::size_t left = 0;
  const auto free_again = [&](std::uint32_t cell) {
    stress.check(busy[cell], "a task was done twice");
    busy[cell] = false;
    stress.check(crew.value(cell) == expected[cell], "a task ran not at all, or twice, or what it wrote is lost");
    --left;
  };
  for (std::uint32_t made = 0; made < tasks || left != 0;) {
    const std::uint32_t cell = stress.below(static_cast<std::uint32_t>(crew.cells()));
    const std::uint32_t spins = stress.below(4) == 0 ? stress.below(30) : 0;
    if (made < tasks && !busy[cell] && crew.give(stress.below(favoured), cell, spins)) {
      busy[cell] = true;
      ++expected[cell];
      ++left;
      ++made;
    }
    crew.collect(free_again);
  }
  crew.end();
  return crew.elsewhere();
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  std::uint64_t elsewhere = 0;
  const long rounds = stress.repeat("round", [&] { elsewhere += one_round(stress); });
  std::printf("%ld rounds, %llu tasks were shared\n", rounds, static_cast<unsigned long long>(elsewhere));
}
