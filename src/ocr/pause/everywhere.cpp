// SPDX-License-Identifier: Apache-2.0

#include "ocr/pause/everywhere.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "ocr/mail/stillness.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/pause/turns.hpp"
#include "ocr/program/pause.hpp"

namespace weir::ocr {

namespace {

constexpr Rank kKeeper{0};  // of turns

// This rank's: counts those that have asked, and says which of them has its turn.
std::atomic<std::uint64_t> last_number{0}, turn_here{0};

Mail& mail() noexcept { return *Mail::running(); }

Writer of(PauseAsk ask) {
  Writer body;
  body.put(ask);
  return body;
}

// ---- Turns ----

void have_turn(std::uint64_t number) noexcept {
  turn_here.store(number);
  wake_pausers();
}

// On rank 0. The checkpoint does not wait, so it is never the next.
void end_turn() {
  const std::optional<PauseTurn> next = pause_turns().end();
  if (!next) return;
  if (next->rank == homes().self())
    have_turn(next->number);
  else
    mail().post(next->rank, Say::pause, of(PauseAsk::turn).put(next->number));
}

TakenTurn take(std::uint64_t number, bool waits) {
  if (homes().self() == kKeeper) return pause_turns().take({kKeeper, number}, waits);
  const Answer answer = mail().ask(kKeeper, Say::pause, of(PauseAsk::take_turn).put(number).put(waits));
  return answer.code == 0 ? Reader(answer.body).get<TakenTurn>() : TakenTurn::no;
}

bool take_turn(ProgramLocal& local, bool waits) {
  const std::uint64_t number = last_number.fetch_add(1) + 1;
  const TakenTurn taken = take(number, waits);
  return taken == TakenTurn::later ? wait_for_turn(local, turn_here, number) : taken == TakenTurn::now;
}

void give_turn() {
  if (homes().self() == kKeeper)
    end_turn();
  else
    mail().post(kKeeper, Say::pause, of(PauseAsk::end_turn));
}

// ---- The other ranks ----

// False: the program ends. A rank on which no EDT runs stays so, and need not be asked again.
bool others_have_stopped(const Program& program) {
  using std::chrono::microseconds;
  bool have = true;
  mail().for_each_other([&](Rank rank) {
    for (microseconds nap(20); have; nap = std::min(2 * nap, microseconds(1000))) {
      const Answer answer = mail().ask(rank, Say::pause, of(PauseAsk::stop));
      if (answer.code == 0) return;
      have = answer.code == OCR_EAGAIN && !program.shutting_down();
      if (have) std::this_thread::sleep_for(nap);
    }
  });
  return have;
}

}  // namespace

// ---- Who pauses ----

bool pause_everywhere(ProgramLocal& local, bool wait) {
  if (!is_spread()) return pause(local, wait);
  if (is_paused_by(local) || local.program.shutting_down()) return false;
  if (!take_turn(local, wait)) return false;
  mail().post_to_others(Say::pause, of(PauseAsk::stop));
  const bool here = pause(local, true);
  if (here && others_have_stopped(local.program)) return true;
  if (here) resume(local);
  return false;
}

void resume_everywhere(ProgramLocal& local) {
  if (!is_spread()) return resume(local);
  if (!is_paused_by(local)) return;
  mail().for_each_other([](Rank rank) { static_cast<void>(mail().ask(rank, Say::pause, of(PauseAsk::resume))); });
  resume(local);
  give_turn();
}

bool suspend_everywhere(const ProgramLocal& local) {
  if (!suspend_pause(local)) return false;
  if (is_spread()) mail().post_to_others(Say::pause, of(PauseAsk::suspend));
  return true;
}

void continue_everywhere(const ProgramLocal& local) {
  const bool others_stop = is_spread() && !local.program.shutting_down();
  if (others_stop) mail().post_to_others(Say::pause, of(PauseAsk::stop));
  continue_pause(local);
  if (others_stop) static_cast<void>(others_have_stopped(local.program));
}

CheckpointTurn::CheckpointTurn() : has_it_(pause_turns().take({kKeeper, 0}, false) == TakenTurn::now) {}

CheckpointTurn::~CheckpointTurn() {
  if (has_it_) end_turn();
}

// ---- Asked by another rank ----

Answer answer_pause(Program& program, FarPauser& pauser, Rank from, PauseAsk ask, Reader& body) {
  switch (ask) {
    case PauseAsk::take_turn: {
      const auto number = body.get<std::uint64_t>();
      return {0, Writer().put(pause_turns().take({from, number}, body.get<bool>())).take()};
    }
    case PauseAsk::turn: have_turn(body.get<std::uint64_t>()); return {};
    case PauseAsk::end_turn: end_turn(); return {};
    case PauseAsk::stop: return {pauser.stop() ? u8{0} : u8{OCR_EAGAIN}};
    case PauseAsk::suspend: pauser.suspend(); return {};
    case PauseAsk::resume: pauser.resume(); return {};
    case PauseAsk::count: return {0, Writer().put(Stillness{true, program.progress().ended, mail().traffic()}).take()};
    default: return {OCR_EINVAL};
  }
}

}  // namespace weir::ocr
