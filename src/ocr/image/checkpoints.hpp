// SPDX-License-Identifier: Apache-2.0

// Checkpoints: a thread that takes an image of the program when it is time, while no EDT runs, and writes it while they
// run again; and going on from one.
// docs/decisions/0048-an-ocr-checkpoint-is-an-image-between-edts.md
//
// Over ranks each has one: rank 0 says when, and has the others take and write theirs (steps.hpp).
//
// open(), restore(), begin(), stop() and the destructor: the program's first thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.hpp"
#include "base/result.hpp"
#include "checkpoint/course.hpp"
#include "ocr/blocks/tiers.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/image/frontier.hpp"
#include "ocr/image/image.hpp"
#include "ocr/image/orders.hpp"
#include "ocr/image/others.hpp"
#include "ocr/image/restoration.hpp"
#include "ocr/image/static_data.hpp"
#include "ocr/program/pause_api.hpp"

namespace weir::ocr {

class Checkpoints {
 public:
  // bad_option, not_found, io_error, bad_input: as Course::open(). `program` outlives it.
  static base::Result<std::unique_ptr<Checkpoints>> open(const checkpoint::Course::Settings& settings,
                                                         Program& program);
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  bool restarting() const noexcept { return course_->restarting(); }
  bool writes() const noexcept { return course_->writes(); }
  // Which checkpoint it goes on from, the same on all ranks; 0: from none.
  std::uint64_t past() const noexcept { return restarting() ? course_->past().record().at.hash : 0; }
  // The objects are those of the checkpoint, and EDTs begin to run when this returns: none before. Failure: the program
  // was shut down, and none of them begins. Over ranks all call it, and it fails on all or on none.
  base::Status restore(Local& local, Restoration::Agree agree);
  // The thread begins. From here on the first thread makes nothing outside of EDTs: no image would have that.
  void begin(Tiers& tiers);
  // Say::checkpoint. On the thread that performs what others ask, from before restore() on.
  Answer answer(Reader body);
  // It ends.
  void stop() noexcept;
  static bool is_this_thread() noexcept;

  // What the program has waited for, after stop().
  struct Times {
    std::uint64_t made = 0;
    std::uint64_t settling_ns = 0;               // from when no EDT began any more until none ran
    std::uint64_t still_ns = 0, longest_ns = 0;  // from then on until they began again
    std::uint64_t written_ns = 0;                // until all was on the device
  };
  const Times& times() const noexcept { return times_; }

 private:
  Checkpoints(const checkpoint::Course::Settings& settings, std::unique_ptr<checkpoint::Course> course,
              Program& program);
  void run();
  void lead();
  void obey();
  void obey_turn();
  bool is_time();
  std::optional<std::uint64_t> ended_everywhere();
  Stillness stillness() const;
  static bool leads() noexcept;
  bool stops();
  bool is_over();
  base::Status stand_still(Halt& halt);
  void make();
  base::Status try_make();
  void refuse(const std::string& why);
  base::Status check_threads() const;
  base::Status check_program() const;
  base::Status take(Image& image);
  base::Status take_here(Image& image);
  void note_taken(const Image& image, std::uint64_t asked_ns, std::uint64_t still_ns);
  base::Status write_here(Image& image);
  base::Status write(Image& image);

  const int every_s_;
  const std::unique_ptr<checkpoint::Course> course_;
  const StaticData statics_;
  Program& program_;
  Tiers* tiers_ = nullptr;
  Orders orders_;                   // of rank 0, on the others
  std::unique_ptr<Others> others_;  // null: there are none, or this is none that leads them
  std::uint64_t turn_ = 0;          // of rank 0: the last one's
  std::uint64_t ended_ = 0;         // EDTs, at the last one
  std::size_t copied_pieces_ = 0;   // at the last one: the next will be like it
  std::string said_;                // why there was none
  Times times_;
  base::Mutex mutex_;
  const KnownSlots* slots_ WEIR_GUARDED_BY(mutex_) = nullptr;  // null: not yet, or no more
  std::condition_variable wake_;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace weir::ocr
