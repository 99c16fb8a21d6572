// SPDX-License-Identifier: Apache-2.0

// Checker: the hooks that runtime/ and ocr/ call in a process that `weir check` watches (check/hooks.hpp says what each
// means).
//
// From start() on, tasks run one at a time, each with only the memory of its footprint accessible; what a task does
// beside that is reported to `weir check`, and the run goes on. docs/checking.md says what is seen; docs/decisions has
// why. One for the process; it has no members: state.hpp and hooks/tables.hpp have what is known.
#pragma once

#include "checker/seam.hpp"

namespace weir::checker {

class Checker final : public check::Hooks {
 public:
  base::Status start(Options& options, const char* socket) override;
  void runtime_ended() override;
  TaskRecord* announce(const NewTask& task) override;
  void watch_array(const void* scope, const Partition& partition) override;
  void begin(TaskRecord& task, const void* runner) override;
  void end(TaskRecord* task, bool completely) override;
  void drop(TaskRecord* task) override;
  void ends_later() override;
  void waited(const void* scope) override;
  void waited_for(const void* scope, std::uint64_t id) override;
  bool follows_forks() override;
  void fork(const void* half, const void* scope) override;
  void second_part(const void* half) override;
  void join(const void* half, const void* scope) override;
  void* allocate_block(std::size_t bytes, const char* name, bool strict) override;
  void hand_out_block(const void* block) override;
  void free_block(void* block, bool is_copy) override;
  TaskRecord* announce_edt(const char* name, std::uintptr_t function, bool finish) override;
  void set_items(TaskRecord& task, std::span<const Item> items) override;
  void acquire(const Item& item) override;
  void release(const void* block) override;
  void use(const void* block) override;
  const Cause* end_of(const TaskRecord& task) override;
  const Cause* set_cause(const Cause* cause) override;
  const Cause* current_cause() override;
  void serve(bool serves) noexcept override;
  const Cause* here() override;
  const Cause* both(const Cause* a, const Cause* b) override;
  void satisfied(EventKey event) override;
  const Cause* cause_of(EventKey event) override;
  void depends_on_cause(TaskRecord& task) override;
  void waited_for_cause(const Cause* cause) override;
  void pause() noexcept override;
  void resume() noexcept override;
  int begin_wait() noexcept override;
  void end_wait(int depth) noexcept override;
};
extern constinit Checker the_checker;

}  // namespace weir::checker
