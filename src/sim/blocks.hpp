// SPDX-License-Identifier: Apache-2.0

// Blocks: the data engine of a simulation, over books alone: what data::Store is to a runtime, without lock and memory.
//
// Each function does what an event makes necessary by way of a Driver: it starts transfers and notices tasks that have
// their blocks. Owned by a Simulator; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "data/engine/engine.hpp"
#include "memory/growth.hpp"
#include "sim/program.hpp"
#include "sim/target.hpp"
#include "sim/task_graph.hpp"
#include "weir/options.hpp"

namespace weir::sim {

class Driver {
 public:
  // To be started in this order, on behalf of what the driver does now.
  virtual void start(data::engine::Transfer* transfers) = 0;
  // It has decided something, and until then waited so long for pages of a tier.
  virtual void decided(std::uint64_t waited_ns) = 0;
  // The offsets of the node are to get pages.
  virtual void prepare(std::size_t node, const memory::DueGrowth& due) = 0;
  // A task that was not ready at once has its blocks.
  virtual void staged(Node& task) = 0;

 protected:
  ~Driver() = default;
};

class Blocks {
 public:
  Blocks(const Program& program, const Target& target, const Options& options, int workers, Driver& driver);
  ~Blocks();

  // no_space. A block that is there already stays. `waits`: for pages, if a tier has to get some; else that time is
  // known to be in the code of whoever makes it.
  base::Status make(std::uint32_t block, DomainId domain, bool waits);
  // When nothing uses or moves it; until then that is put off.
  void destroy(std::uint32_t block);

  // Tasks have to register what they use.
  bool tracked() const noexcept { return engine_.tracked(); }
  void begin_untracked() noexcept { ++untracked_; }
  void end_untracked();
  // The request of a task that was spawned; those around it that have one hold room.
  void add(Node& task, std::span<const Item> items, DomainId domain);
  // One block more, of an EDT: a slot was satisfied with it, or it was there when the EDT was made.
  void add(Node& task, const Item& item, std::size_t of_items, DomainId domain);
  // As data::engine::Engine.
  bool ready(data::engine::Request& request, int lane, DomainId domain);
  bool try_begin(data::engine::Request& request);
  void finish(data::engine::Request& request);
  void land(data::engine::Transfer& transfer);
  // Asks for the pages that nodes will soon grow by.
  void prepare_growth();
  // Nothing runs and nothing moves, yet tasks wait for room.
  void end_stall(bool stuck);

  const data::engine::Engine& engine() const noexcept { return engine_; }
  // Bytes of it that have pages.
  std::uint64_t populated(std::size_t node) const noexcept;
  // The node whose memory a task that runs finds the block in; none: the program's.
  data::engine::NodeId node_of(std::uint32_t block, const data::engine::Request* request) const;
  const std::vector<std::string>& warnings() const noexcept { return warnings_; }

 private:
  struct Books;
  struct Asker;
  struct Entry {
    data::engine::Block block;
    bool there = false, dying = false;
  };

  static data::engine::Config config_of(const Options& options, int workers, unsigned cores);
  static std::vector<data::engine::NodeMemory*> memories_of(const std::vector<std::unique_ptr<Books>>& books);
  data::engine::Request& open(Node& task, std::size_t items, DomainId domain);
  std::uint64_t take_growth_ns();
  void carry_out(data::engine::Actions& actions);
  void bury();

  const Program& program_;
  Driver& driver_;
  std::deque<Asker> askers_;                   // of all requests
  std::vector<std::unique_ptr<Books>> books_;  // by node
  data::engine::Engine engine_;
  std::vector<std::unique_ptr<Entry>> blocks_;  // by number
  std::vector<std::uint32_t> dying_;
  std::uint64_t untracked_ = 0;  // tasks without requests that have not ended
  bool was_tracked_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace weir::sim
