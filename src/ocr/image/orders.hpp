// SPDX-License-Identifier: Apache-2.0

// Orders: what rank 0 has asked this rank to do for a checkpoint, and how far it is with that.
#pragma once

#include <condition_variable>
#include <optional>
#include <string>

#include "base/mutex.hpp"
#include "ocr/image/steps.hpp"
#include "ocr/program/program.hpp"

namespace weir::ocr {

class Orders {
 public:
  explicit Orders(Program& program) noexcept : program_(program) {}

  // On the thread that performs what others ask.
  Answer answer(Reader& body);
  // Any thread: none are waited for any more.
  void stop() noexcept;

  // ---- The thread that obeys ----

  // Waits for the next turn, whose first step is to be done. False: the program ends.
  [[nodiscard]] bool wait_for_turn();
  std::uint64_t turn();
  // The step is done, or has failed. Waits for the next one of the same turn; false: there is none.
  [[nodiscard]] bool done(const base::Status& status);
  // Whether its turn is over already, or the program ends.
  [[nodiscard]] bool is_over();
  // The turn ends here, whatever comes.
  void fail(const base::Status& status) { note_done(status); }

 private:
  void note_done(const base::Status& status);
  bool ends() const noexcept WEIR_REQUIRES(mutex_) { return stop_ || program_.shutting_down(); }

  Program& program_;
  base::Mutex mutex_;
  std::condition_variable changed_;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  Order wanted_ WEIR_GUARDED_BY(mutex_);
  Order next_ WEIR_GUARDED_BY(mutex_);  // what the thread does, or is to do next
  Order last_ WEIR_GUARDED_BY(mutex_);
  base::Status status_ WEIR_GUARDED_BY(mutex_);  // of the last
};

}  // namespace weir::ocr
