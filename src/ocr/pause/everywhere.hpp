// SPDX-License-Identifier: Apache-2.0

// Pausing on all ranks of the program: what program/pause_api.hpp is on one, which it comes to where there is one.
// docs/protocols/ocr-ranks.md (PAUSE-2)
//
//   the pauser's rank                rank 0                  each other rank
//   take_turn ---------------------> one has its turn,
//             <--------------- turn  the others wait
//   stop -----------------------------------------------> no EDT begins
//   stop -----------------------------------------------> do any run? (again and again)
//   (none runs anywhere: the pauser goes on)
//   resume ---------------------------------------------> EDTs begin again
//   end_turn ----------------------> the next has its turn
//
// None of these messages changes the program, so they are not counted.
#pragma once

#include <cstdint>

#include "ocr/mail/mail.hpp"
#include "ocr/program/pause_api.hpp"
#include "ocr/program/program.hpp"

namespace weir::ocr {

// What a message begins with (Say::pause).
enum class PauseAsk : std::uint8_t { take_turn, turn, end_turn, stop, suspend, resume, count, query };

// On no rank an EDT starts any more, and those that ran have ended or wait. False: another one pauses, on whatever
// rank, and the caller does not want to wait for it; or the caller has paused already; or the program ends.
bool pause_everywhere(ProgramLocal& local, bool wait);
// When it returns EDTs may begin on all ranks; nothing, unless the caller has paused.
void resume_everywhere(ProgramLocal& local);

// As suspend_pause() and continue_pause().
bool suspend_everywhere(const ProgramLocal& local);
void continue_everywhere(const ProgramLocal& local);

// A checkpoint of all ranks, while it has them stand still: no EDT pauses. Rank 0.
class CheckpointTurn {
 public:
  CheckpointTurn();
  ~CheckpointTurn();
  CheckpointTurn(const CheckpointTurn&) = delete;
  CheckpointTurn& operator=(const CheckpointTurn&) = delete;

  // False: an EDT pauses the program.
  bool has_it() const noexcept { return has_it_; }

 private:
  const bool has_it_;
};

// Say::pause, but for queries. `ask`: what it began with. On the thread that performs what others ask.
Answer answer_pause(Program& program, FarPauser& pauser, Rank from, PauseAsk ask, Reader& body);

}  // namespace weir::ocr
