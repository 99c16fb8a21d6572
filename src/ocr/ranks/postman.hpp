// SPDX-License-Identifier: Apache-2.0

// Postman: what a rank does for others: performs what they ask, notices when one is lost, and ends with them.
//
// Workers that look for work perform what has arrived, and run themselves what that makes ready; so do threads that
// wait for an answer. While none of them looks, the Postman's thread does it: it sleeps until a message comes then, and
// is a guest of the runtime. One for each System that runs on several ranks, of which a process has one in its life.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "ocr/mail/mail.hpp"
#include "ocr/program/pause_api.hpp"
#include "ocr/program/program.hpp"
#include "ocr/ranks/seeker.hpp"
#include "weir/poll.hpp"

namespace weir::ocr {

struct Local;

// What is done for other ranks by layers that this one does not know.
struct Duties {
  std::function<void()> report;              // prints what waits here
  std::function<Answer(Reader)> checkpoint;  // Say::checkpoint
};

class Postman final : public Performer, public Elsewhere, private Poll {
 public:
  // All outlive it. From start() on, which needs a running System, messages are performed.
  Postman(Mail& mail, Program& program, Duties duties) noexcept
      : mail_(mail), program_(program), duties_(std::move(duties)) {}
  // On a worker. Fails when there is no thread for it.
  base::Status start();
  // The EDTs of this rank have ended: waits for those of all others, which may ask for something until then, and stops.
  // False: a rank was lost.
  bool stop();
  static bool is_this_thread() noexcept;

  void program_ends(u8 code) noexcept override;
  Answer perform(Rank from, Say what, Reader body) override;
  bool may_perform() const noexcept override;

 private:
  // ---- As workers see it ----
  bool pending() const noexcept override { return true; }
  bool ask() noexcept override { return mail_.perform_arrived(); }
  bool look() noexcept override;
  void end_looking() noexcept override;
  bool others_ask() const noexcept override { return true; }
  void hand_over() noexcept override;

  Answer perform_pause(Rank from, Reader& body);
  void run();
  static void trace_life(std::uint64_t since) noexcept;
  static Answer perform_here(Local& local, Rank from, Say what, Reader& body);
  void look_for_losses();
  void note_stopped();

  Mail& mail_;
  Program& program_;
  const Duties duties_;
  Seeker seeker_{program_};
  FarPauser far_pauser_{program_};
  std::atomic<bool> ends_{false};  // relaxed: one round more is harmless, and the thread is joined
  base::Mutex mutex_;
  std::condition_variable changed_;
  std::uint32_t stopped_ WEIR_GUARDED_BY(mutex_) = 0;  // other ranks
  bool is_lost_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace weir::ocr
