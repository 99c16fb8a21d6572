// SPDX-License-Identifier: Apache-2.0

// TaskGraph: the master's tasks, from spawn() to their release, and what each waits for.
//
// It is the Graph of deps::BlockMap, so that islands order tasks by the rules that threads do. In the master's private
// memory: a worker never sees a node. A task is spawned, waits for its predecessors, is ready, is given to a worker, is
// done, and is released, which makes others ready. One thread, or whoever holds the master's lock.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "deps/block_map.hpp"
#include "island/node_slabs.hpp"
#include "island/private_copy.hpp"
#include "island/undo.hpp"

namespace weir::island {

// parent: its function has ended, and tasks that it has made have not.
enum class TaskState : std::uint8_t { free, waiting, ready, given, parent, done };

struct TaskNode;

// The tasks that wait for one: mostly one to three, which are in the node itself, so that a release finds them there.
class Successors {
 public:
  bool ends_with(const TaskNode* node) const noexcept {
    if (count_ == 0) return false;
    return (count_ <= kFew ? few_[count_ - 1] : more_->back()) == node;
  }
  void push_back(TaskNode* node) {
    if (count_ < kFew) {
      few_[count_] = node;
    } else {
      if (more_ == nullptr) more_ = std::make_unique<std::vector<TaskNode*>>();
      more_->push_back(node);
    }
    ++count_;
  }
  template <class F>
  void for_each(F f) const {
    for (std::uint32_t i = 0; i < count_ && i < kFew; ++i) f(few_[i]);
    if (count_ <= kFew) return;
    for (TaskNode* const node : *more_) f(node);
  }
  TaskNode* first() const noexcept { return count_ != 0 ? few_[0] : nullptr; }
  void clear() noexcept {
    if (count_ > kFew) more_->clear();
    count_ = 0;
  }

 private:
  static constexpr std::uint32_t kFew = 3;
  TaskNode* few_[kFew] = {};
  std::unique_ptr<std::vector<TaskNode*>> more_;  // behind the few
  std::uint32_t count_ = 0;                       // of all
};

// The tasks that a task has made: in order among themselves only, as what they name is the parent's alone.
struct Family {
  deps::BlockMap map;
  std::size_t unfinished = 0;
};

// Of a task, what its analysis and its release do not look at.
struct TaskDetails {
  const char* name = nullptr;                        // null: none
  const void* site = nullptr;                        // where it was spawned
  std::unique_ptr<std::vector<PrivateCopy>> copies;  // null: none
  std::vector<std::byte> letter;                     // TaskHead and all behind it
  std::byte* spilled = nullptr;                      // of the heap, where the letter is too long
  std::uint64_t bytes = 0;                           // of its footprint
  std::vector<Access> named;                         // its footprint, where it may have to run again
  Undo undo;
  std::uint16_t deaths = 0;          // of workers that may have begun it
  TaskNode* parent = nullptr;        // null: the program made it
  std::unique_ptr<Family> children;  // until all have been released; null: none
};

// One line: with a million tasks in flight each line of a node is a miss.
struct alignas(64) TaskNode {
  std::uint64_t id = 0;  // in traces and messages, and of this use of the node; never used again, 0 once it is released
  Successors successors;
  std::uint32_t missing = 0;  // predecessors that are not released
  std::uint16_t worker = 0;   // given, done: to whom; before: to whom the predecessor was that was released last
  TaskState state = TaskState::free;
  bool join : 1 = false;  // no task: stands for the end of several
  bool cancelled : 1 = false;
  bool failed : 1 = false;               // it threw
  bool held : 1 = false;                 // done, and an ordered reduction has others before it
  std::unique_ptr<TaskDetails> details;  // whoever makes a task gives it these, and the next task in the node has them
};
static_assert(sizeof(TaskNode) == 64);
inline constexpr std::uint16_t kMaster = 0xffff;    // the master runs it
inline constexpr std::uint16_t kNoWorker = 0xfffe;  // it had no predecessor

class TaskGraph {
 public:
  TaskGraph() = default;
  TaskGraph(const TaskGraph&) = delete;
  TaskGraph& operator=(const TaskGraph&) = delete;
  ~TaskGraph() { map_.reset(*this); }

  // A node without predecessors, not ready: the caller fills it in and then calls submit().
  TaskNode& make_task();
  // Orders the task behind those its footprint conflicts with. Nothing is ready before the caller asks.
  void submit(TaskNode& task, std::span<const Access> footprint);
  // The same for a task that another one has made, which is not released before this one. details are there.
  void submit_child(TaskNode& parent, TaskNode& task, std::span<const Access> footprint);
  // The task is about to be released. Its parent, if this was the last of that one's children.
  TaskNode* leave_family(TaskNode& task);
  // The next task that nothing has to come before; null: none. First those that the last release has made ready, in the
  // order of spawning, as what they name was just in use; last those that were ready when they were spawned.
  TaskNode* take_ready();
  // Of the first few the one that suits a worker (policy/next.hpp); kMaster: the master runs it.
  TaskNode* take_ready_for(std::uint16_t worker);
  bool has_ready() const noexcept { return !ready_.empty(); }
  // The task was given away and has to be given to another: it is the next.
  void take_back(TaskNode& task);
  // The task has ended, or will not run: what waits for it may become ready. The node may be another task then.
  void release(TaskNode& task);

  std::size_t unfinished() const noexcept { return unfinished_; }  // tasks, joins not counted
  std::uint64_t spawned() const noexcept { return spawned_; }
  // The edges that the last submit() made, joins among them; valid until the next.
  struct Edge {
    std::uint64_t from, to;
  };
  std::span<const Edge> new_edges() const noexcept { return edges_; }
  // Joins that ended since the last call, by id.
  std::vector<std::uint64_t> take_ended_joins() noexcept { return std::exchange(ended_joins_, {}); }
  // Calls f(node) for each unreleased node.
  template <class F>
  void for_each(F f) const {
    nodes_.for_each([&](const TaskNode& node) {
      if (node.state != TaskState::free) f(node);
    });
  }

  // ---- The Graph of deps::BlockMap ----
  bool add_edge(deps::NodeRef before, deps::NodeRef after);
  bool finished(deps::NodeRef ref) const noexcept {
    return ref.generation < ended_before_ || node_of(ref).id != ref.generation;
  }
  deps::NodeRef make_join();
  void seal_join(deps::NodeRef join);
  // Commutative are here those that reduce, on private copies: they need not exclude each other. In no order are
  // those of one operation alone, and of those in the order of spawning (reduce_ordered) they alone.
  std::uint32_t group_of(const Access& access);
  void* make_lock() noexcept { return nullptr; }
  void release_lock(void*) noexcept {}
  void commutative(deps::NodeRef, void*) noexcept {}
  // No reductions: footprint.cpp makes another mode of them.
  deps::OpenedReduction open_reduction(const Access&) { return {never(), {}}; }
  void join_reduction(deps::NodeRef, void*) { never(); }

 private:
  static TaskNode& node_of(deps::NodeRef ref) noexcept { return *static_cast<TaskNode*>(ref.node); }
  static deps::NodeRef ref_of(TaskNode& node) noexcept { return {&node, node.id}; }
  static void* never();
  TaskNode& take_node();
  TaskNode& make_node(bool join);
  void start_again() noexcept;
  void look_ahead() const noexcept;
  bool arrive(TaskNode& node);

  NodeSlabs<TaskNode> nodes_;  // where they are for good
  std::vector<TaskNode*> free_;
  std::deque<TaskNode*> ready_;
  std::vector<TaskNode*> ended_;       // within release()
  std::vector<TaskNode*> made_ready_;  // by it
  std::vector<Edge> edges_;
  struct Group {
    void (*combine)(void* target, const void* copy);
    bool ordered;
    bool operator==(const Group&) const = default;
  };
  std::vector<Group> groups_;               // by number: as many as the program has operations
  std::vector<std::uint64_t> ended_joins_;  // grows by what take_ended_joins() does not take
  std::size_t unfinished_ = 0;
  std::uint64_t spawned_ = 0;
  std::uint64_t next_id_ = 1;
  std::uint64_t ended_before_ = 0;  // nodes with smaller ids have ended, which is known without a look at them
  deps::BlockMap map_;              // last: it may give nodes back
};

}  // namespace weir::island
