// SPDX-License-Identifier: Apache-2.0

// What a runtime tells of its tasks when somebody asks what they wait for.
//
// docs/protocols/gates.md says why it may look at tasks that others run and end meanwhile.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "explain/service.hpp"
#include "explain/snapshot.hpp"
#include "runtime/runtime_state.hpp"

namespace weir::runtime {

// A task that a worker has begun. Its function may wait within the runtime.
struct BegunTask {
  const sched::Task* task = nullptr;
  std::uint64_t generation = 0;
  int worker = 0;
  bool waits = false;          // it does, or another runs on top of it
  std::uintptr_t subject = 0;  // of the Condition that its function waits for; 0: it does not wait
  double seconds = 0;          // for so long at least it has been the one on top
  std::string asleep;          // what its thread sleeps in; "" when it computes, or waits within the runtime
};

// A layer above, whose tasks wait for what the scheduler does not know (OCR's EDTs).
class ExplainedLayer {
 public:
  virtual bool is_mine(sched::InvokeFunction invoke) const noexcept = 0;
  // Adds its tasks, by their addresses, and what else its program has left.
  virtual void add_to(explain::Snapshot& snapshot, std::span<const BegunTask> begun) = 0;
  // Nothing outside of its tasks will make another one ready.
  virtual bool waits_for_itself() const noexcept = 0;

 protected:
  ~ExplainedLayer() = default;
};

class Explaining final : public explain::Source {
 public:
  explicit Explaining(State& state);

  // Null: there is none (any more). Returns when nobody looks at the one before.
  void set_layer(ExplainedLayer* layer);

  // ---- explain::Source ----
  bool is_still(std::uint64_t& progress) noexcept override;
  explain::Situation look() override;
  explain::Advance advance() override;

 private:
  struct OnTop {
    const sched::Task* task = nullptr;
    std::uint64_t generation = 0;
    std::uint64_t since_ns = 0;
  };
  void note_tops() noexcept WEIR_REQUIRES(mutex_);
  std::vector<BegunTask> begun_tasks() WEIR_REQUIRES(mutex_);

  State& state_;
  base::Mutex mutex_;
  ExplainedLayer* layer_ WEIR_GUARDED_BY(mutex_) = nullptr;
  std::vector<OnTop> tops_ WEIR_GUARDED_BY(mutex_);  // by worker
  explain::Registration registration_;               // last: from here on it is asked
};

}  // namespace weir::runtime
