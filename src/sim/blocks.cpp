// SPDX-License-Identifier: Apache-2.0

#include "sim/blocks.hpp"

#include <cmath>
#include <utility>

#include "memory/space.hpp"

namespace weir::sim {

namespace engine = data::engine;

// A space has its books outside of its memory: here there is none. It grows as an arena does, since holes, and so what
// has to leave for a block, depend on that.
struct Blocks::Books final : engine::NodeMemory {
  Books(std::uint64_t budget, bool grows, PageTimes its_page_times)
      : bytes(budget / memory::Space::kPage * memory::Space::kPage),
        page_times(std::move(its_page_times)),
        space(bytes) {
    if (!grows) space.add(bytes);
  }

  std::optional<std::uint64_t> take(std::size_t charge, const std::string&) noexcept override {
    std::uint64_t offset = charge > bytes ? memory::Space::kNowhere : space.allocate(charge);
    if (offset == memory::Space::kNowhere && charge <= bytes && grow(space.shortfall(charge)))
      offset = space.allocate(charge);
    return offset == memory::Space::kNowhere ? std::nullopt : std::optional(offset);
  }
  bool grow(std::size_t least) noexcept {
    const std::size_t left = bytes - space.size();
    if (left < least) return false;
    const std::size_t step = std::min(left, memory::step_for(least, space.size(), bytes));
    waited_ns += page_times.ns_between(space.size(), space.size() + step);
    space.add(step);
    return true;
  }
  // Which pages are to be prepared, when homes will want so many bytes; it is not said twice.
  memory::DueGrowth due(std::size_t expected) noexcept {
    const std::size_t ahead = memory::bytes_ahead(expected, space.free_bytes(), space.size(), bytes);
    const memory::DueGrowth due = memory::due_growth(ahead, announced, space.size(), bytes);
    if (due.bytes != 0) announced = due.begin + due.bytes;
    return due;
  }
  void give_back(std::uint64_t offset, std::size_t charge) noexcept override { space.free(offset, charge); }
  void trim() noexcept override { space.trim(); }
  std::size_t budget() const noexcept override { return bytes; }
  std::size_t used() const noexcept override { return space.used(); }
  std::size_t largest_free() const noexcept override { return space.largest_free(); }
  base::Status refusal() const override { return base::Status::success(); }

  std::size_t bytes;
  PageTimes page_times;
  memory::Space space;
  std::size_t announced = 0;
  double waited_ns = 0;  // for pages; until it is taken
};

struct Blocks::Asker final : engine::Requester {
  Asker(Driver& its_driver, Node& its_task) : driver(its_driver), task(its_task) {}
  void staged(engine::Request&) noexcept override { driver.staged(task); }

  Driver& driver;
  Node& task;
};

engine::Config Blocks::config_of(const Options& options, int workers, unsigned cores) {
  engine::Config config;
  config.strategy = options.strategy;
  config.evict = options.evict;
  config.allocation = options.allocation;
  config.overflow = options.overflow;
  config.chains = engine::has_chains(options.chains, options.strategy);
  config.depth = static_cast<std::uint32_t>(options.prefetch_depth);
  config.workers = static_cast<std::uint32_t>(workers);
  config.cores_to_spare = cores > config.workers;
  config.site_text = [](const void*) { return std::string("the trace"); };
  return config;
}

std::vector<engine::NodeMemory*> Blocks::memories_of(const std::vector<std::unique_ptr<Books>>& books) {
  std::vector<engine::NodeMemory*> memories;
  memories.reserve(books.size());
  for (const auto& each : books) memories.push_back(each.get());
  return memories;
}

namespace {

template <class Books>
std::vector<std::unique_ptr<Books>> books_for(const Target& target) {
  std::vector<std::unique_ptr<Books>> books;
  for (std::size_t node = 0; node < target.budgets.size(); ++node) {
    const bool grows = target.memory[node] != Target::kFile;
    PageTimes page_times = node < target.page_times.size() ? target.page_times[node] : PageTimes();
    books.push_back(std::make_unique<Books>(target.budgets[node], grows, std::move(page_times)));
  }
  return books;
}

}  // namespace

Blocks::Blocks(const Program& program, const Target& target, const Options& options, int workers, Driver& driver)
    : program_(program),
      driver_(driver),
      books_(books_for<Books>(target)),
      engine_(target.hierarchy, memories_of(books_), config_of(options, workers, target.cores)),
      blocks_(program.blocks.size()) {
  engine_.set_costs(costs_of_tiers(target));
}

Blocks::~Blocks() = default;

void Blocks::carry_out(engine::Actions& actions) {
  while (engine_.take_relocated() != nullptr) {
  }
  driver_.decided(take_growth_ns());
  for (std::string& warning : actions.warnings) warnings_.push_back(std::move(warning));
  for (engine::Request* request = actions.staged; request != nullptr;) {
    engine::Request* const next = request->next_staged;
    request->requester->staged(*request);
    request = next;
  }
  if (actions.transfers != nullptr) driver_.start(actions.transfers);
}

std::uint64_t Blocks::take_growth_ns() {
  double ns = 0;
  for (const auto& each : books_) ns += std::exchange(each->waited_ns, 0);
  return static_cast<std::uint64_t>(std::llround(ns));
}

base::Status Blocks::make(std::uint32_t block, DomainId domain, bool waits) {
  if (blocks_[block] != nullptr || program_.blocks[block].in_no_tier) return base::Status::success();
  auto entry = std::make_unique<Entry>();
  const ProgramBlock& of = program_.blocks[block];
  entry->block.name = of.name;
  entry->block.size = std::max<std::size_t>(of.bytes, 1);
  entry->block.domain = domain;
  entry->block.trace_id = block;
  if (of.adopted) entry->block.home.kind = engine::Home::Kind::program;
  engine::Actions actions;
  if (base::Status status = engine_.add(entry->block, of.hint); !status) return status;
  if (!waits) static_cast<void>(take_growth_ns());
  entry->there = true;
  blocks_[block] = std::move(entry);
  if (engine_.tracked() && !was_tracked_) {
    was_tracked_ = true;
    if (untracked_ == 0) engine_.untracked_ended(actions);
    prepare_growth();
    engine_.tracking_begun(actions);
  }
  carry_out(actions);
  return base::Status::success();
}

void Blocks::destroy(std::uint32_t block) {
  if (blocks_[block] == nullptr || blocks_[block]->dying) return;
  Entry& entry = *blocks_[block];
  entry.dying = true;
  dying_.push_back(block);
  engine::Actions actions;
  const bool unused = entry.block.first_use == nullptr && !entry.block.in_transfer();
  if (unused && program_.blocks[block].adopted && engine_.flush(entry.block, actions)) carry_out(actions);
  bury();
}

void Blocks::bury() {
  std::erase_if(dying_, [&](std::uint32_t number) {
    Entry& entry = *blocks_[number];
    if (entry.block.first_use != nullptr || entry.block.in_transfer()) return false;
    engine::Actions actions;
    engine_.remove(entry.block, actions);
    blocks_[number] = nullptr;
    carry_out(actions);
    return true;
  });
}

void Blocks::end_untracked() {
  if (--untracked_ != 0) return;
  if (was_tracked_ && engine_.untracked_may_run()) {
    engine::Actions actions;
    engine_.untracked_ended(actions);
    carry_out(actions);
  }
}

engine::Request& Blocks::open(Node& task, std::size_t items, DomainId domain) {
  task.request = std::make_unique<engine::Request>();
  engine::Request& request = *task.request;
  request.requester = &askers_.emplace_back(driver_, task);
  request.name = program_.names[program_.tasks[task.task].name].c_str();
  request.revocable = true;
  request.domain = domain;
  const Node* around = program_.edts ? nullptr : task.around->parent;  // an EDT does not wait for those that it makes
  while (around != nullptr && around->request == nullptr) around = around->around->parent;
  request.set_parent(around != nullptr ? around->request.get() : nullptr);
  request.make_room(items);
  return request;
}

void Blocks::add(Node& task, std::span<const Item> items, DomainId domain) {
  if (task.request == nullptr) {
    engine::Request& request = open(task, items.size(), domain);
    for (const Item& item : items)
      if (item.is_tiered(program_.blocks)) request.add(blocks_[item.block]->block, item.mode);
    return engine_.add(request);
  }
  for (const Item& item : items)
    if (item.is_tiered(program_.blocks)) add(task, item, items.size(), domain);
}

void Blocks::add(Node& task, const Item& item, std::size_t of_items, DomainId domain) {
  engine::Request& request = task.request != nullptr ? *task.request : open(task, of_items, domain);
  engine::Actions actions;
  engine_.add(request, blocks_[item.block]->block, item.mode, false, actions);
  carry_out(actions);
}

bool Blocks::ready(engine::Request& request, int lane, DomainId domain) {
  request.lane = lane;
  request.domain = domain;
  engine::Actions actions;
  const bool held = engine_.ready(request, actions);
  carry_out(actions);
  return held;
}

bool Blocks::try_begin(engine::Request& request) { return engine_.begin(request) || engine_.try_begin(request); }

void Blocks::finish(engine::Request& request) {
  engine::Actions actions;
  actions.lane = request.lane;
  engine_.finish(request, actions);
  carry_out(actions);
  if (!dying_.empty()) bury();
}

void Blocks::land(engine::Transfer& transfer) {
  engine::Actions actions;
  actions.lane = transfer.lane;
  engine_.land(transfer, base::Status::success(), actions);
  carry_out(actions);
  if (!dying_.empty()) bury();
}

void Blocks::prepare_growth() {
  for (std::size_t node = 0; node < books_.size(); ++node) {
    const memory::DueGrowth due = books_[node]->due(engine_.core().ledger.unplaced(static_cast<engine::NodeId>(node)));
    if (due.bytes != 0) driver_.prepare(node, due);
  }
}

std::uint64_t Blocks::populated(std::size_t node) const noexcept { return books_[node]->space.size(); }

void Blocks::end_stall(bool stuck) {
  engine::Actions actions;
  engine_.end_stall(stuck, actions);
  carry_out(actions);
}

engine::NodeId Blocks::node_of(std::uint32_t block, const engine::Request* request) const {
  const Entry* const entry = blocks_[block].get();
  if (entry == nullptr) return engine::NodeId::none;
  const engine::Use* const use = request != nullptr ? request->find(entry->block) : nullptr;
  if (use != nullptr && use->replica != nullptr) return use->replica->place.node;
  if (use == nullptr && entry->block.replicas != nullptr) return entry->block.replicas->place.node;
  return entry->block.home.place.node;
}

}  // namespace weir::sim
