// SPDX-License-Identifier: Apache-2.0

// Bells (docs/protocols/letters.md, BELL-1): two threads that send each other letters and sleep, without end, after a
// few looks; a ring that is lost hangs. Also two processes, as the word is in memory that both map.
#include <memory>
#include <thread>

#include "island/bell.hpp"
#include "island/letter.hpp"
#include "stress.hpp"
#include "unit/island/child.hpp"

namespace {

using weir::IslandMemory;
using weir::island::Bell;
using weir::island::Child;
using weir::island::Letter;
using weir::island::SharedMemory;
using weir::stress::Stress;

constexpr std::uint64_t kHour = 3'600'000'000'000;  // ns

struct End {
  Letter<64> letter;
  Bell bell;
};
struct Both {
  End ping, pong;
};

// A letter to `to`, when the one of the same number is there, or before it for the one that begins.
void play(SharedMemory& memory, End& from, End& to, std::uint32_t letters, std::uint32_t looks, bool begins) {
  for (std::uint32_t number = 1; number <= letters; ++number) {
    const auto is_there = [&] { return from.letter.take(memory, number).has_value(); };
    const auto send = [&] {
      to.letter.post(memory, number, 0);
      to.bell.ring();
    };
    if (begins) send();
    for (std::uint32_t look = 0; !is_there(); ++look)
      if (look >= looks) from.bell.sleep(kHour, is_there);
    if (!begins) send();
  }
}

struct Game {
  explicit Game(Stress& stress) {
    auto mapped = SharedMemory::map({{sizeof(Both)}}, IslandMemory::coherent, 0);
    stress.check(static_cast<bool>(mapped), "no memory");
    memory = std::move(*mapped);
    both = ::new (memory->data()) Both;
  }
  std::unique_ptr<SharedMemory> memory;
  Both* both;
};

void two_threads(Stress& stress, std::uint32_t letters) {
  const Game game(stress);
  const std::uint32_t here = stress.below(50), there = stress.below(50);
  std::thread other([&] { play(*game.memory, game.both->ping, game.both->pong, letters, there, false); });
  play(*game.memory, game.both->pong, game.both->ping, letters, here, true);
  other.join();
}

void two_processes(Stress& stress, std::uint32_t letters) {
  const Game game(stress);
  const std::uint32_t here = stress.below(50), there = stress.below(50);
  Child child([&] {
    play(*game.memory, game.both->ping, game.both->pong, letters, there, false);
    return 0;
  });
  play(*game.memory, game.both->pong, game.both->ping, letters, here, true);
  stress.check(child.wait() == 0, "a process did not end its game");
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  for (long number = 0; stress.goes_on(); ++number) {
    stress.doing("threads", number);
    two_threads(stress, 1 + stress.below(3000));
    stress.doing("processes", number);
    two_processes(stress, 1 + stress.below(3000));
  }
}
