// SPDX-License-Identifier: Apache-2.0

// Checkpoints: a thread that takes an image of the program when it is time, while no EDT runs, and writes it while they
// run again; and going on from one.
// docs/decisions/0048-an-ocr-checkpoint-is-an-image-between-edts.md
//
// open(), restore(), begin(), stop() and the destructor: the program's first thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
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
#include "ocr/image/static_data.hpp"
#include "ocr/program/pause_api.hpp"

namespace weir::ocr {

class Checkpoints {
 public:
  // bad_option, not_found, io_error, bad_input: as Course::open().
  static base::Result<std::unique_ptr<Checkpoints>> open(const checkpoint::Course::Settings& settings);
  ~Checkpoints();
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  bool restarting() const noexcept { return course_->restarting(); }
  // The objects are those of the checkpoint, and EDTs begin to run when this returns: none before. Failure: the program
  // was shut down, and none of them begins.
  base::Status restore(Local& local);
  // The thread begins. From here on the first thread makes nothing outside of EDTs: no image would have that.
  void begin(Program& program, Tiers& tiers);
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
  explicit Checkpoints(const checkpoint::Course::Settings& settings, std::unique_ptr<checkpoint::Course> course);
  base::Result<checkpoint::Contents> claim(std::uint64_t key, const char* name, std::uint64_t& bytes);
  base::Status try_restore(Local& local);
  base::Status restore_all(Local& local);
  base::Status restore_blocks(Revival& revival, const checkpoint::Contents& gathered, std::uint64_t bytes);
  base::Status restore_large(const Revival::PastBlock& block);
  void run();
  void work();
  bool is_time();
  bool stops();
  base::Status stand_still(Halt& halt);
  void make();
  void refuse(const std::string& why);
  base::Status check_threads() const;
  base::Status check_program() const;
  base::Status take(Image& image);
  base::Status write(Image& image);

  const int every_s_;
  const std::unique_ptr<checkpoint::Course> course_;
  const StaticData statics_;
  Program* program_ = nullptr;
  Tiers* tiers_ = nullptr;
  std::uint64_t ended_ = 0;        // EDTs, at the last one
  std::size_t copied_pieces_ = 0;  // at the last one: the next will be like it
  std::string said_;               // why there was none
  Times times_;
  base::Mutex mutex_;
  std::condition_variable wake_;
  bool stop_ WEIR_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace weir::ocr
