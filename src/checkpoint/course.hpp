// SPDX-License-Identifier: Apache-2.0

// Course: how far a program has come, and what is to be done there: skip its tasks, take contents from a checkpoint, or
// write one. docs/decisions/0035-checkpoints-are-points-of-the-submission.md.
//
// A process may make several, one after the other, as a program does that makes a runtime for each problem that it
// solves. They count by the folder that they go on from, or else by the one that they write to. A checkpoint is of one
// of them: those before it run from their beginning and write none, and those after it run from theirs.
//
// The thread that spawns. Where there are several ranks each has one, and they come to the same points; the folder is
// rank 0's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/folder.hpp"
#include "checkpoint/image_file.hpp"
#include "checkpoint/past.hpp"
#include "checkpoint/submission.hpp"
#include "checkpoint/variables.hpp"
#include "weir/footprint.hpp"

namespace weir::checkpoint {

class Course {
 public:
  struct Settings {
    std::string folder;  // to write in; empty: none is written
    int every_s = 0;
    std::string restart;  // to go on from; empty: from the beginning
    std::uint32_t rank = 0, ranks = 1;
    bool each_its_own = false;  // what ranks have written is no part of one whole: see pasts()
  };
  enum class Next : unsigned char { go_on, restore };

  // bad_option, not_found, io_error, bad_input, as Folder and Past.
  static base::Result<std::unique_ptr<Course>> open(const Settings& settings);

  bool restarting() const noexcept { return !pasts_.empty(); }
  Past& past() noexcept { return *pasts_.front(); }
  // With Settings::each_its_own: as Past::open_each().
  const std::vector<std::unique_ptr<Past>>& pasts() const noexcept { return pasts_; }
  Variables& variables() noexcept { return variables_; }
  // The last wait that the program has come to; 0: none.
  std::uint64_t point() const noexcept { return submission_.now().point; }

  // ---- What the program spawns outside of tasks ----
  void note_task(const char* name) noexcept {
    if (name == nullptr)
      submission_.note_task({});
    else
      note_named_task(name);
  }
  void note_item(std::uint64_t what, unsigned mode) noexcept { submission_.note_item(what, mode); }
  // note_item() of several.
  Submission::Items note_items() noexcept { return Submission::Items(submission_); }
  // Memory of the program that the task writes.
  void note_written(const char* task, const Region& memory);
  // A task that is skipped and names nothing that it writes.
  void note_skipped_reader(const char* task);
  // Memory of the program that a block had adopted which tasks have written, and which has ended.
  void note_given_back(const std::string& block, const void* first, std::size_t bytes);
  // Instead of coming to the next point a wait throws what a task has thrown.
  void note_failure(const std::string& what);
  // Why the program cannot go on from a checkpoint. The first reason counts.
  void refuse(std::string why);

  // ---- At a wait outside of tasks; all tasks have ended ----
  // bad_input: this run goes another way than the one that wrote the checkpoint; so it is from then on.
  base::Result<Next> arrive();
  // What was to be restored here is not: the blocks are neither what they were then nor what the program makes of them.
  // arrive() fails from then on.
  void note_unrestored(const std::string& why);
  // The program ends. Says so on standard error when it never came to where it was to go on.
  void report_end() const noexcept;
  // All blocks have their contents from past(), which goes. Says on standard error what was skipped that a checkpoint
  // knows nothing of.
  void end_restart() noexcept;

  // Of a program without such waits: what is written next is of that moment, the same number on all ranks, and another
  // one each time, in other runs, too.
  void note_moment(std::uint64_t moment) noexcept { submission_.note_moment(moment); }

  // Whether it is time, by this rank's clock. Never, where none is written.
  bool is_due() const noexcept;
  bool writes() const noexcept { return !settings_.folder.empty() && !is_before_past_; }
  // Why none can be written here, ever; success: it can.
  const base::Status& possible() const noexcept { return possible_; }
  // Rank 0, before any rank writes. io_error, no_space.
  base::Status begin();
  // Rank 0: what was begun comes to nothing.
  void discard() noexcept;
  // This rank's part; one of this checkpoint must not be there. io_error, no_space.
  base::Result<std::unique_ptr<ImageWriter>> open_image(std::vector<ImageItem> items) const;
  base::Status finish_image(ImageWriter& image) const;
  // Rank 0, after all ranks have written, or have failed to: the checkpoint is the last one now. unsupported: other
  // tasks were spawned on another rank, or variables have other values there. Otherwise io_error, no_space, bad_input:
  // a rank's part is not there, or is damaged, or of another moment.
  base::Status publish();
  // Says on standard error that there is no new one, and why; the run goes on.
  void give_up(const base::Status& why) noexcept;
  // The next is due when its time has come again.
  void restart_clock() noexcept;

 private:
  Course(const Settings& settings, std::uint32_t number);
  void note_named_task(std::string_view name) noexcept;
  base::Status open_folders();
  base::Status open_past();
  // The past is another runtime's of the process.
  void pass_over() noexcept;
  base::Status compare(const Submission::Mark& now) const;
  base::Status follow_past();
  void note_values();
  ImageOf image_of() const;
  // That a rank's part is of this checkpoint.
  base::Status check_image(std::uint32_t rank) const;

  const Settings settings_;
  const std::uint32_t number_;   // which of the process's
  bool is_before_past_ = false;  // a later one of them goes on from it
  std::optional<Folder> folder_;
  std::vector<std::unique_ptr<Past>> pasts_;  // empty: the run is where no run was before
  std::size_t next_mark_ = 0;                 // of the past's
  base::Status followed_;                     // why the run cannot go on from the past
  Submission submission_;
  Variables variables_;
  std::uint64_t skipped_readers_ = 0;
  std::string first_reader_;
  base::Status possible_;
  std::uint64_t clock_ns_;  // when the last one was written, or the first began to be waited for
};

}  // namespace weir::checkpoint
