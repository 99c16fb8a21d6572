// SPDX-License-Identifier: Apache-2.0

// Letters through memory without coherent caches (docs/protocols/letters.md): two threads over coherent memory, as that
// is what ThreadSanitizer sees, and two processes over each kind; letters of all lengths, and lines of data beside them
// that both write in turn.
#include <memory>
#include <thread>

#include "island/flush_memory.hpp"
#include "stress.hpp"
#include "unit/island/child.hpp"
#include "unit/island/exchange.hpp"

namespace {

using weir::IslandMemory;
using weir::island::Child;
using weir::island::Exchange;
using weir::island::SharedMemory;
using weir::stress::Stress;

constexpr std::uint32_t kMostPlaces = 16;

struct Round {
  IslandMemory kind;
  std::uint64_t seed;
  std::uint32_t first;
  std::uint64_t letters;
};

Round any_round(Stress& stress, IslandMemory kind) {
  // Past the largest number now and then; no place's first letter has the number 0.
  const std::uint32_t first = stress.below(4) == 0 ? 0u - kMostPlaces - stress.below(1000) : 1 + stress.below(1u << 31);
  return {kind, stress.below(4) == 0 ? 0 : 1 + stress.random(), first, 1 + stress.below(5000)};
}

std::unique_ptr<SharedMemory> map(Stress& stress, const Round& round, std::size_t bytes) {
  auto memory = SharedMemory::map({{bytes}}, round.kind, round.seed);
  stress.check(static_cast<bool>(memory), "no memory");
  return std::move(*memory);
}

template <std::size_t kLetter, std::uint32_t kPlaces>
void two_threads(Stress& stress, const Round& round) {
  using Letters = Exchange<kLetter, kPlaces>;
  const auto memory = map(stress, round, Letters::bytes());
  Letters letters(*memory);
  bool answered = false;
  std::thread other([&] { answered = letters.answer(round.first, round.letters, [] { return false; }); });
  stress.check(letters.ask(round.first, round.letters, [] { return false; }), "a thread got another answer");
  other.join();
  stress.check(answered, "a thread got another letter than was sent");
}

template <std::size_t kLetter, std::uint32_t kPlaces>
void two_processes(Stress& stress, const Round& round) {
  using Letters = Exchange<kLetter, kPlaces>;
  const auto memory = map(stress, round, Letters::bytes());
  Letters letters(*memory);
  Child child([&] {
    memory->enter_process(1);
    return letters.answer(round.first, round.letters, [] { return false; }) ? 0 : 1;
  });
  const bool asked = letters.ask(round.first, round.letters, [&] { return child.has_ended(); });
  stress.check(child.wait() == 0, "a process got another letter than was sent");
  stress.check(asked, "a process got another answer");
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  const weir::base::Status can_flush = weir::island::FlushMemory::usable();
  if (!can_flush) std::printf("%s\n", can_flush.message.c_str());
  for (long number = 0; stress.goes_on(); ++number) {
    stress.doing("threads", number);
    two_threads<64, 8>(stress, any_round(stress, IslandMemory::coherent));
    two_threads<512, 4>(stress, any_round(stress, IslandMemory::coherent));
    for (const IslandMemory kind : {IslandMemory::coherent, IslandMemory::flush, IslandMemory::checked}) {
      if (kind == IslandMemory::flush && !can_flush) continue;
      stress.doing("processes", number);
      two_processes<64, kMostPlaces>(stress, any_round(stress, kind));
      two_processes<192, 1>(stress, any_round(stress, kind));
      two_processes<512, 8>(stress, any_round(stress, kind));
    }
  }
}
