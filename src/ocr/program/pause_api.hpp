// SPDX-License-Identifier: Apache-2.0

// Pausing, for those that ask for it: one at a time, a running EDT or a thread outside of EDTs.
#pragma once

#include <cstdint>

namespace weir::ocr {

class Program;
struct ProgramLocal;

// No EDT starts any more, and those that ran have ended or wait. False: another one pauses, and the caller does not
// want to wait for it; or the caller has paused already.
bool pause(ProgramLocal& local, bool wait);
bool is_paused_by(const ProgramLocal& local) noexcept;
void resume(ProgramLocal& local) noexcept;

// Halt: no EDT runs or waits, and nothing that follows from the end of one is still to be done, so that all that
// there is of the program is in its objects. A thread that is no worker; one such object at a time.
class Halt {
 public:
  explicit Halt(Program& program) noexcept : program_(program) {}
  ~Halt() { end(); }
  Halt(const Halt&) = delete;
  Halt& operator=(const Halt&) = delete;

  enum class State : std::uint8_t {
    others_pause,  // an EDT has paused the program: it is not asked for
    edts_run,      // no other begins
    unsettled,     // none runs, but a thread is not done with what it does, or waits within an EDT
    still,
  };
  // Asks for it, and says how far it is: to be called again and again.
  State look() noexcept;
  // EDTs begin again.
  void end() noexcept;
  // The program is shut down; EDTs that are ready end without having begun.
  void end_unbegun(std::uint8_t code) noexcept;

 private:
  Program& program_;
};

}  // namespace weir::ocr
