// SPDX-License-Identifier: Apache-2.0

// Pausing, for those that ask for it: one at a time, a running EDT or a thread outside of EDTs.
#pragma once

#include <atomic>
#include <cstdint>

namespace weir::ocr {

class Program;
struct ProgramLocal;

// No EDT starts any more, and those that ran have ended or wait. False: another one pauses, and the caller does not
// want to wait for it, or the program ends before; or the caller has paused already.
bool pause(ProgramLocal& local, bool wait);
bool is_paused_by(const ProgramLocal& local) noexcept;
void resume(ProgramLocal& local) noexcept;
// Nothing runs any more, and the next program begins as if none had paused.
void forget_pauses() noexcept;

// Over ranks (ocr/pause): one that pauses waits until it is its turn, which is when `turn` is `mine`, and counts as
// paused while it does. The thread that writes `turn` calls wake_pausers(). False: the program ends.
bool wait_for_turn(ProgramLocal& local, const std::atomic<std::uint64_t>& turn, std::uint64_t mine);
void wake_pausers() noexcept;

// FarPauser: an EDT of another rank that has its turn, as this rank knows it. It waits for nothing. Any thread; one
// such object in a process.
class FarPauser {
 public:
  explicit FarPauser(Program& program) noexcept : program_(program) {}
  FarPauser(const FarPauser&) = delete;
  FarPauser& operator=(const FarPauser&) = delete;

  // No EDT starts any more. Whether those that ran have ended or wait: to be called until it says so.
  bool stop() noexcept;
  // EDTs begin again until the next stop(), and no other one pauses.
  void suspend() noexcept;
  // EDTs begin again.
  void resume() noexcept;

 private:
  Program& program_;
};

// Halt: no EDT runs or waits, and nothing that follows from the end of one is still to be done, so that all that
// there is of the program is in its objects. A thread that is no worker; one such object at a time.
class Halt {
 public:
  explicit Halt(Program& program) noexcept : program_(program) {}
  ~Halt() { end(); }
  Halt(const Halt&) = delete;
  Halt& operator=(const Halt&) = delete;

  enum class State : std::uint8_t {
    others_pause,  // an EDT has paused the program, and it is not asked for; or one wants to, within its function
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
