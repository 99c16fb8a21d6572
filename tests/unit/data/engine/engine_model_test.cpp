// SPDX-License-Identifier: Apache-2.0

// Random tasks on a Engine: whatever is moved when, each finds what was written last, nobody waits for ever, and
// nothing is left over. WEIR_MODEL_SEED and WEIR_MODEL_ROUNDS run it longer.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "data/spread.hpp"
#include "engine_bench.hpp"

namespace weir::data::engine {
namespace {

struct Case {
  const char* name;
  const char* tiers;
  Allocation allocation = Allocation::fast;
  bool nodes = false;  // several in the fast tier
  bool faults = false;
  std::uint32_t depth = 8;
  std::uint32_t workers = 2;
};

struct Node {  // a task of the model
  BenchTask* task = nullptr;
  Node* parent = nullptr;
  Block* own = nullptr;         // that its children use, and nobody else meanwhile
  std::vector<Node*> children;  // unfinished, in the order of spawning
  Footprint footprint;
  enum class State { pending, ready, began, ran } state = State::pending;
  int spawned = 0;
};

bool conflict(Mode a, Mode b) { return a != b || (a != Mode::in && a != Mode::concurrent && a != Mode::commutative); }

class Model {
 public:
  Model(const Case& c, Strategy strategy, Evict evict, unsigned seed)
      : case_(c), random_(seed), bench_(c.nodes ? knl_snc4_flat() : one_node(), c.tiers, config(c, strategy, evict)) {
    for (int i = 0; i < (far_ahead() ? 14 : 10); ++i) make_block();
    for (int i = 0; i < 4; ++i) make_block(&spare_);
    if (bench_.engine.tracked()) bench_.track();
  }
  ~Model() { locks_.clear(); }

  void run(int actions) {
    for (int i = 0; i < actions && !testing::Test::HasFailure(); ++i) {
      step(true);
      bench_.check_invariants();
    }
    for (int i = 0; !root_.children.empty() && !testing::Test::HasFailure(); ++i) {
      step(false);
      bench_.check_invariants();
      EXPECT_LT(i, 100'000) << describe();
    }
    while (!bench_.flying.empty() && !testing::Test::HasFailure()) bench_.land();
    EXPECT_EQ(bench_.engine.waiting(), 0u);
    EXPECT_EQ(bench_.engine.running(), 0u);
    EXPECT_FALSE(bench_.engine.has_queued());
    for (const auto& block : bench_.blocks()) {
      EXPECT_EQ(block->scheduled, 0u);
      EXPECT_EQ(block->home_uses, 0u);
      for (const Replica* r = block->replicas; r != nullptr; r = r->next) EXPECT_EQ(r->pins, 0u);
    }
    if (testing::Test::HasFailure()) {
      for (const auto& line : describe_waiting(bench_.engine)) std::fprintf(stderr, "%s\n", line.c_str());
      std::exit(1);  // what is left cannot be taken apart
    }
  }
  int standstills() const { return standstills_; }

 private:
  static Config config(const Case& c, Strategy strategy, Evict evict) {
    Config result;
    result.strategy = strategy;
    result.evict = evict;
    result.allocation = c.allocation;
    result.workers = c.workers;
    result.depth = c.depth;
    result.chains = std::string_view(c.name).starts_with("chain");
    return result;
  }
  std::string describe() {
    std::string text = std::to_string(bench_.flying.size()) + " transfers are under way, " +
                       std::to_string(bench_.engine.running()) + " tasks run";
    for (const auto& line : describe_waiting(bench_.engine)) text.append("\n").append(line);
    for (const auto& n : nodes_) {
      const Request& request = n->task->request;
      text += fmt::format("\nstate {}, request {} lane {}, {} children, uses", int(n->state), int(request.state()),
                          request.lane, n->children.size());
      for (const auto& [block, mode] : n->footprint) {
        text += fmt::format(" {}K", block->charge >> 10);
        for (const Replica* r = block->replicas; r != nullptr; r = r->next) {
          text += fmt::format(":{}{}", int(r->state), r->pins != 0 ? "p" : "");
        }
        if (block->home_uses != 0) text += ":home";
      }
    }
    return text;
  }
  bool far_ahead() const { return case_.depth > 8; }
  bool over_nodes() const { return case_.nodes && case_.allocation == Allocation::fast; }
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }

  void make_block(std::vector<Block*>* list = nullptr) {
    static constexpr std::size_t kSizes[] = {64, 1000, 4096, 100 << 10, 200 << 10, 320 << 10, 500 << 10};
    Block* block = nullptr;
    const std::size_t bytes = kSizes[below(std::size(kSizes))];
    if (!bench_.try_make("block", bytes, block, static_cast<int>(below(case_.nodes ? 4 : 1)), any_hint())) return;
    const bool may = bench_.engine.tracked() && bench_.engine.untracked_may_run();
    if (may && (!case_.nodes || below(4) != 0)) bench_.track();  // else what was made first stays where it is
    versions_[block] = 0;
    count_those_that_stay();
    if (list == nullptr) return;
    list->push_back(block);
    for_children_.insert(block);
  }

  // In a chain, more live behind the second tier than have to.
  PlacementHint any_hint() {
    PlacementHint hint;
    if (case_.name[0] == 'c' && below(2) == 0) hint.tier = PlacementHint::Tier::slow;
    return hint;
  }

  void step(bool more) {
    switch (below(more ? 10 : 7)) {
      case 0:
      case 1: return start_some();
      case 2:
      case 3: return run_some();
      case 4:
      case 5:
        if (!bench_.flying.empty()) return land();
        return finish_some();
      case 6:
        for (int i = far_ahead() ? 10 : 0; i > 0 && more; --i) spawn(root_);
        finish_some();
        return help_if_still();
      case 7:
      case 8:
        if (root_.children.size() < (far_ahead() ? 50 : 30)) spawn(root_);
        return;
      case 9: return below(8) == 0 ? change_blocks() : spawn_child();
    }
  }

  Mode any_mode() {
    static constexpr Mode kModes[] = {Mode::in, Mode::in, Mode::inout, Mode::out, Mode::concurrent, Mode::commutative};
    return kModes[below(std::size(kModes))];
  }

  void spawn(Node& parent) {
    auto node = std::make_unique<Node>();
    const bool root = &parent == &root_;
    const std::size_t most = root ? bench_.blocks().size() : parent.footprint.size();
    if (most == 0) return;
    std::size_t bytes = 0;
    for (unsigned i = 1 + below(over_nodes() ? 12 : 4); i > 0; --i) {
      const unsigned at = below(most);
      Block* const block = root ? bench_.blocks()[at].get() : parent.footprint[at].first;
      const Mode mode = !root && parent.footprint[at].second == Mode::in ? Mode::in : any_mode();
      if (root && for_children_.contains(block)) continue;
      if (bytes + block->size > (over_nodes() ? 3u << 20 : 1u << 20) && below(20) != 0) continue;
      bytes += block->size;
      bool twice = false;
      for (const auto& [other, m] : node->footprint) twice = twice || other == block;
      if (!twice) node->footprint.emplace_back(block, mode);
    }
    if (!root && below(3) == 0) grow(parent, node->footprint);
    if (node->footprint.empty()) return;
    node->parent = &parent;
    node->task = &bench_.spawn("task", node->footprint,
                               static_cast<int>(far_ahead() && below(8) != 0 ? 0 : below(case_.nodes ? 4 : 1)),
                               static_cast<int>(below(2)), parent.task);
    node->task->request.revocable = true;
    ++parent.spawned;
    parent.children.push_back(node.get());
    nodes_.push_back(std::move(node));
  }
  // A block that its parent does not have.
  void grow(Node& parent, Footprint& footprint) {
    if (parent.own == nullptr && !spare_.empty()) {
      parent.own = spare_.back();
      spare_.pop_back();
    }
    if (parent.own != nullptr) footprint.emplace_back(parent.own, any_mode());
  }
  void spawn_child() {
    if (Node* const node = some([](const Node& n) { return n.state == Node::State::ran && n.spawned < 6; }))
      spawn(*node);
  }

  template <class F>
  Node* some(F f) {
    std::vector<Node*> found;
    for (const auto& n : nodes_) {
      if (f(*n)) found.push_back(n.get());
    }
    return found.empty() ? nullptr : found[below(found.size())];
  }

  static bool depends(const Node& node) {
    for (const Node* earlier : node.parent->children) {
      if (earlier == &node) return false;
      for (const auto& [a, mode_a] : earlier->footprint) {
        for (const auto& [b, mode_b] : node.footprint) {
          if (a == b && conflict(mode_a, mode_b)) return true;
        }
      }
    }
    return false;
  }

  void start_some() {
    Node* const node = some([](const Node& n) { return n.state == Node::State::pending && !depends(n); });
    if (node == nullptr) return;
    if (below(20) == 0) {  // cancelled before it was ready
      node->task->request.cancelled = true;
      return end(*node);
    }
    node->state = Node::State::ready;
    bench_.ready(*node->task);
  }

  bool try_locks(Node& node) {
    for (const auto& [block, mode] : node.footprint) {
      const auto holder = locks_.find(block);
      if (mode == Mode::commutative && holder != locks_.end() && !above(holder->second, &node)) return false;
    }
    for (const auto& [block, mode] : node.footprint) {
      if (mode == Mode::commutative) locks_.emplace(block, &node);
    }
    return true;
  }
  // A child is in its parent's scope, with locks of its own.
  static bool above(const Node* ancestor, const Node* node) {
    for (node = node->parent; node != nullptr; node = node->parent) {
      if (node == ancestor) return true;
    }
    return false;
  }

  void run_some() {
    Node* const node = some([](const Node& n) {
      return (n.state == Node::State::ready || n.state == Node::State::began) &&
             (n.task->request.has_room() || n.task->request.state() == RequestState::failed);
    });
    if (node == nullptr) return;
    Request& request = node->task->request;
    if (request.state() == RequestState::failed) {
      EXPECT_FALSE(request.failure.message.empty());
      const bool for_room = request.failure.message.starts_with("task") && !case_.faults;
      EXPECT_FALSE(for_room && fits(*node)) << request.failure.message;
      request.cancelled = true;
      return end(*node);
    }
    if (node->state == Node::State::ready) {
      EXPECT_TRUE(bench_.engine.begin(request) || bench_.engine.try_begin(request));
    }
    node->state = Node::State::began;
    if (!try_locks(*node)) return;
    if (below(15) == 0) {  // cancelled when it could have run
      request.cancelled = true;
      return end(*node);
    }
    node->state = Node::State::ran;
    look(*node, true);
    for (Use& use : request.uses()) {
      if (writes(use.mode)) bench_.contents(use) = stamp(*use.block, ++versions_[use.block]);
    }
  }
  // Beside what those around it hold, on the one node there is; on several, of a task without such.
  bool fits(const Node& node) {
    if (case_.nodes) return over_nodes() && node.parent == &root_ && fits_on_nodes(node);
    std::set<const Block*> needed;
    for (const Node* n = &node; n->task != nullptr; n = n->parent)
      for (const auto& [block, mode] : n->footprint) needed.insert(block);
    std::size_t bytes = most_stayed_;
    for (const Block* block : needed) bytes += block->home.in_place ? 0 : block->charge;
    return bytes <= bench_.arena().budget();
  }
  bool fits_on_nodes(const Node& node) const {
    for (const auto& block : bench_.blocks())
      if (block->home.in_place) return false;  // takes room of a node for ever
    std::vector<std::size_t> sizes;
    for (const auto& [block, mode] : node.footprint) sizes.push_back(block->charge);
    std::vector<int> to(sizes.size());
    return spread(sizes, std::vector<std::size_t>(4, std::size_t{1} << 20), to);
  }
  void count_those_that_stay() {
    std::size_t bytes = 0;
    for (const auto& block : bench_.blocks())
      bytes += block->home.in_place && block->home.place.node == EngineBench::node(0) ? block->charge : 0;
    most_stayed_ = std::max(most_stayed_, bytes);
  }
  // The task finds what was written last.
  void look(Node& node, bool first) {
    for (Use& use : node.task->request.uses()) {
      const auto version = versions_[use.block];
      if (version == 0 || (first && use.mode == Mode::out)) continue;
      ASSERT_EQ(bench_.contents(use), stamp(*use.block, version)) << "version " << version;
    }
  }
  std::uint64_t stamp(const Block& block, std::uint64_t version) {
    return reinterpret_cast<std::uintptr_t>(&block) << 16 ^ version;
  }

  void finish_some() {
    Node* const node = some([](const Node& n) { return n.state == Node::State::ran && n.children.empty(); });
    if (node == nullptr) return;
    look(*node, false);
    end(*node);
  }
  void end(Node& node) {
    std::erase_if(locks_, [&](const auto& lock) { return lock.second == &node; });
    if (node.own != nullptr) spare_.push_back(node.own);
    bench_.finish(*node.task);
    std::erase(node.parent->children, &node);
    std::erase_if(nodes_, [&](const auto& n) { return n.get() == &node; });
  }

  void land() {
    const bool broken = case_.faults && below(6) == 0;
    const std::size_t at = below(bench_.flying.size());
    bench_.land(at, broken ? base::Status{base::Code::io_error, "broken"} : base::Status::success());
  }

  bool anything_runs() {
    return some([&](const Node& n) {
             if (n.state == Node::State::ran) return n.children.empty();
             if (n.state == Node::State::pending) return !depends(n);
             const Request& request = n.task->request;
             return request.state() == RequestState::failed || (request.has_room() && can_lock(n));
           }) != nullptr;
  }
  void help_if_still() {
    if (anything_runs()) return;
    for (int i = 0; !bench_.flying.empty() && !anything_runs() && !testing::Test::HasFailure(); ++i) {
      bench_.land();
      EXPECT_LT(i, 1000) << "blocks go in circles while nobody runs\n" << describe();
    }
    if (anything_runs() || !bench_.engine.waits_for_tasks() || bench_.engine.has_queued()) return;
    ++standstills_;
    const auto waiting = bench_.engine.waiting();
    bench_.end_stall();
    EXPECT_TRUE(bench_.engine.waiting() < waiting || !bench_.flying.empty()) << "nothing can ever happen";
  }
  bool can_lock(const Node& node) {
    for (const auto& [block, mode] : node.footprint) {
      const auto holder = locks_.find(block);
      if (mode == Mode::commutative && holder != locks_.end() && !above(holder->second, &node)) return false;
    }
    return true;
  }

  void change_blocks() {
    if (below(2) == 0) return make_block();
    const auto& blocks = bench_.blocks();
    Block& block = *blocks[below(blocks.size())];
    if (block.first_use != nullptr || blocks.size() < 4 || for_children_.contains(&block)) return;
    versions_.erase(&block);
    bench_.destroy(block);
  }

  const Case& case_;
  std::mt19937 random_;
  EngineBench bench_;
  Node root_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::map<Block*, std::uint64_t> versions_;
  std::map<Block*, Node*> locks_;
  std::size_t most_stayed_ = 0;  // bytes of the fast tier that were never given to others
  std::set<const Block*> for_children_;
  std::vector<Block*> spare_;  // of these
  int standstills_ = 0;
};

class EngineModel : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(
    Tiers, EngineModel,
    testing::Values(
        Case{"memory", "memory=1MiB,emulated=32MiB@0.5"}, Case{"file", "memory=1MiB,file=/tmp:32MiB"},
        Case{"file_with_faults", "memory=1MiB,file=/tmp:32MiB", Allocation::fast, false, true},
        Case{"memory_with_faults", "memory=1MiB,emulated=32MiB@0.5", Allocation::fast, false, true},
        Case{"full_slow_tier", "memory=1MiB,emulated=1MiB@0.5"}, Case{"full_file", "memory=1MiB,file=/tmp:2MiB"},
        Case{"chain", "memory=1MiB,emulated=2MiB@0.5,file=/tmp:32MiB"},
        Case{"chain_tight", "memory=1MiB,emulated=1MiB@0.5,file=/tmp:32MiB"},
        Case{"chain_full", "memory=1MiB,emulated=1MiB@0.5,file=/tmp:2MiB"},
        Case{"chain_with_faults", "memory=1MiB,emulated=2MiB@0.5,file=/tmp:32MiB", Allocation::fast, false, true},
        Case{"chain_tight_with_faults", "memory=1MiB,emulated=1MiB@0.5,file=/tmp:32MiB", Allocation::fast, false, true},
        Case{"chain_far_ahead", "memory=1MiB,emulated=2MiB@0.5,file=/tmp:32MiB", Allocation::fast, false, false, 64, 8},
        Case{"chain_of_nodes", "hbm=4MiB,ddr=8MiB,file=/tmp:32MiB", Allocation::fast, true},
        Case{"chain_local_fast", "hbm=4MiB,ddr=8MiB,file=/tmp:32MiB", Allocation::local_fast, true},
        Case{"chain_local", "hbm=4MiB,ddr=8MiB,file=/tmp:32MiB", Allocation::local, true},
        Case{"nodes_fast", "hbm=4MiB,ddr=32MiB", Allocation::fast, true},
        Case{"nodes_fast_file", "hbm=4MiB,file=/tmp:32MiB", Allocation::fast, true},
        Case{"nodes_local_fast", "hbm=4MiB,ddr=32MiB", Allocation::local_fast, true},
        Case{"nodes_local_fast_far_ahead", "hbm=4MiB,ddr=32MiB", Allocation::local_fast, true, false, 64, 8},
        Case{"nodes_local_fast_file", "hbm=4MiB,file=/tmp:32MiB", Allocation::local_fast, true},
        Case{"nodes_local_fast_file_with_faults", "hbm=4MiB,file=/tmp:32MiB", Allocation::local_fast, true, true}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(EngineModel, ShowsEveryTaskWhatWasWrittenLastWhateverIsMoved) {
  const char* const seed_text = std::getenv("WEIR_MODEL_SEED");
  const char* const rounds_text = std::getenv("WEIR_MODEL_ROUNDS");
  const unsigned first = seed_text != nullptr ? unsigned(std::atoi(seed_text)) : std::random_device{}() % 1000000;
  const unsigned rounds = rounds_text != nullptr ? unsigned(std::atoi(rounds_text)) : 1;
  int standstills = 0;
  for (unsigned seed = first; seed < first + rounds; ++seed) {
    for (const Strategy strategy :
         {Strategy::off, Strategy::inline_, Strategy::multi, Strategy::ahead, Strategy::model}) {
      for (const Evict evict : {Evict::refcount, Evict::lru, Evict::next_use}) {
        SCOPED_TRACE("WEIR_MODEL_SEED=" + std::to_string(seed) + ", strategy " + std::to_string(int(strategy)) +
                     ", evict " + std::to_string(int(evict)));
        Model model(GetParam(), strategy, evict, seed);
        model.run(GetParam().depth > 8 ? 150 : 500);
        standstills += model.standstills();
        if (HasFailure()) return;
      }
    }
  }
  std::printf("%d standstills\n", standstills);
}

}  // namespace
}  // namespace weir::data::engine
