// SPDX-License-Identifier: Apache-2.0

// Random graphs of tasks over objects, tiles of a watched array and blocks that do not all fit in the fast tier, whose
// footprints are ranges: what each task has read, and what is there at the end, is compared with a serial run. Tasks
// make others within their footprint, blocks are destroyed early, by the program, by tasks that name them and by
// others; in some graphs tasks throw, of which only the end is looked at.
//
// usage: graphs_stress [SECONDS [SEED]]; WEIR_STRESS_GRAPHS=N: so many graphs, whatever time they take.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "stress.hpp"

namespace {

using weir::Mode;
using weir::stress::Stress;
using Word = std::uint64_t;

constexpr std::size_t kObjects = 4, kTiles = 9, kBlocks = 6;
constexpr std::size_t kTileRows = 4, kGrid = 3, kSide = kTileRows * kGrid;
constexpr std::size_t kBlockWords = (96 << 10) / sizeof(Word);  // a fast tier of 512 KiB has room for five

constexpr const char* kTiers[] = {"memory=64MiB", "memory=512KiB,file=/tmp:64MiB", "memory=512KiB,emulated=64MiB@1"};

Word mix(Word a, Word b) { return (a ^ b >> 9 ^ b << 3) * 0x9e3779b97f4a7c15u + b; }

// One piece of memory, by its index: objects, then tiles, then blocks.
struct Use {
  std::size_t which;
  Mode mode;
  bool reads() const { return mode != Mode::out; }
};

struct Plan {  // of a task
  Word id = 0;
  std::vector<Use> uses;
  std::vector<Plan> children;
  bool waits = false;              // for its children, before its end
  bool throws = false;             // when it has done its work
  std::vector<std::size_t> drops;  // blocks that it holds last
};

using BlockPtr = std::shared_ptr<weir::Block<Word>>;

// What a task of the plan does to memory: `load` and `store` of a word for each piece.
template <class Load, class Store>
Word work(const Plan& plan, const Load& load, const Store& store) {
  Word hash = plan.id;
  for (const Use& use : plan.uses)
    if (use.reads()) hash = mix(hash, load(use.which));
  for (const Use& use : plan.uses)
    if (writes(use.mode)) store(use.which, mix(hash, use.which));
  return hash;
}

class Graph {
 public:
  Graph(weir::Runtime& runtime, Stress& stress) : runtime_(runtime), stress_(stress) {
    for (std::size_t i = 0; i < kBlocks; ++i) {
      blocks_[i] = std::make_shared<weir::Block<Word>>(runtime, kBlockWords, "b");
      runtime.spawn(out(*blocks_[i]), [](std::span<Word> words) { words.front() = words.back() = 0; });
    }
  }

  void run() {
    throwing_ = stress_.below(5) == 0;
    const unsigned tasks = 5 + stress_.below(40);
    for (unsigned i = 0; i < tasks; ++i) {
      plans_.push_back(std::make_unique<Plan>(make_plan(0, {})));
      plan_drops(*plans_.back());
      if (!throwing_) run_serially(*plans_.back());
      spawn(*plans_.back(), true);
      if (stress_.below(30) == 0) drop_one();
      if (!throwing_ && stress_.below(25) == 0) runtime_.wait();
    }
    finish();
  }

 private:
  unsigned below(unsigned limit) { return stress_.below(limit); }

  Mode random_mode() {
    constexpr Mode kModes[] = {Mode::in, Mode::in, Mode::inout, Mode::out};
    return kModes[below(4)];
  }

  // Within `allowed`, which is a parent's; of a task of the program: of all that is there.
  Plan make_plan(int depth, const std::vector<Use>& allowed) {
    Plan plan;
    plan.id = ++ids_;
    const unsigned most = 1 + below(5);
    for (unsigned i = 0; i < most; ++i) {
      Use use = allowed.empty() ? Use{below(kObjects + kTiles + kBlocks), random_mode()}
                                : allowed[below(static_cast<unsigned>(allowed.size()))];
      if (!allowed.empty() && writes(use.mode)) use.mode = below(2) == 0 ? Mode::in : Mode::inout;
      const bool known = std::ranges::any_of(plan.uses, [&](const Use& u) { return u.which == use.which; });
      if (!known && is_there(use.which)) plan.uses.push_back(use);
    }
    plan.throws = throwing_ && below(15) == 0;
    plan.waits = below(2) == 0;
    const unsigned children = depth < 2 && !plan.uses.empty() && below(3) == 0 ? 1 + below(4) : 0;
    for (unsigned i = 0; i < children; ++i) plan.children.push_back(make_plan(depth + 1, plan.uses));
    return plan;
  }

  bool is_there(std::size_t which) const {
    return which < kObjects + kTiles || blocks_[which - kObjects - kTiles] != nullptr;
  }

  // A block that the task names, or another one: nobody can name it afterwards, but tasks that have are on their way.
  void plan_drops(Plan& plan) {
    if (below(12) != 0) return;
    const std::size_t block = below(kBlocks);
    if (blocks_[block] != nullptr) plan.drops.push_back(block);
  }

  void drop_one() {
    const std::size_t block = below(kBlocks);
    blocks_[block].reset();
  }

  void run_serially(const Plan& plan) {
    const Word hash = work(
        plan, [&](std::size_t which) { return serial_[which]; },
        [&](std::size_t which, Word word) { serial_[which] = word; });
    wanted_.push_back({plan.id, hash});
    for (const Plan& child : plan.children) run_serially(child);
  }

  weir::Access access_of(const Use& use) {
    if (use.which < kObjects) return item(objects_[use.which], use.mode);
    if (use.which < kObjects + kTiles) {
      const std::size_t tile = use.which - kObjects;
      return item(watched_.tile(tile / kGrid * kTileRows, tile % kGrid * kTileRows, kTileRows, kTileRows), use.mode);
    }
    return item(*spawning_[use.which - kObjects - kTiles], use.mode);
  }
  template <class T>
  static weir::Access item(T&& x, Mode mode) {
    if (mode == Mode::in) return weir::in(x);
    return mode == Mode::out ? weir::Access(weir::out(x)) : weir::Access(weir::inout(x));
  }

  void spawn(const Plan& plan, bool outermost) {
    std::vector<weir::Access> footprint;
    if (outermost) std::ranges::copy(blocks_, spawning_);
    for (const Use& use : plan.uses) footprint.push_back(access_of(use));
    std::vector<BlockPtr> held;
    for (const std::size_t block : plan.drops) held.push_back(std::exchange(blocks_[block], nullptr));
    std::vector<BlockPtr> named;  // for the children's footprints; whoever holds one last destroys it
    if (!plan.children.empty()) named.assign(std::begin(spawning_), std::end(spawning_));
    auto task = [this, &plan, held, named](const weir::Items& items) mutable {
      held.clear();
      run_task(plan, items, named);
    };
    held.clear();
    named.clear();
    outermost ? static_cast<void>(runtime_.spawn(footprint, std::move(task)))
              : static_cast<void>(weir::spawn(footprint, std::move(task)));
    if (outermost) std::ranges::fill(spawning_, nullptr);
  }

  void run_task(const Plan& plan, const weir::Items& items, std::vector<BlockPtr>& named) {
    const auto index_of = [&](std::size_t which) {
      return static_cast<std::size_t>(std::ranges::find(plan.uses, which, &Use::which) - plan.uses.begin());
    };
    const Word hash = work(
        plan, [&](std::size_t which) { return load(which, items[index_of(which)]); },
        [&](std::size_t which, Word word) { store(which, items[index_of(which)], word); });
    if (!throwing_) check(plan.id, hash);
    for (const Plan& child : plan.children) spawn_child(child, named);
    if (plan.waits && !plan.children.empty()) weir::wait();
    if (plan.throws) throw std::runtime_error("of a task");
  }

  void spawn_child(const Plan& plan, const std::vector<BlockPtr>& named) {
    std::vector<weir::Access> footprint;
    for (const Use& use : plan.uses) {
      const bool is_block = use.which >= kObjects + kTiles;
      footprint.push_back(is_block ? item(*named[use.which - kObjects - kTiles], use.mode) : access_of(use));
    }
    std::vector<BlockPtr> below_it;
    if (!plan.children.empty()) below_it = named;
    weir::spawn(footprint,
                [this, &plan, below_it](const weir::Items& items) mutable { run_task(plan, items, below_it); });
  }

  Word load(std::size_t which, const weir::Item& item) {
    if (which < kObjects) return item.span<const Word>()[0];
    if (which >= kObjects + kTiles) {
      const auto words = item.span<const Word>();
      if (words.front() != words.back()) ++wrong_;
      return words.front();
    }
    const auto tile = item.view<const Word>();
    if (tile(0, 0) != tile(kTileRows - 1, kTileRows - 1)) ++wrong_;
    return tile(0, 0);
  }
  static void store(std::size_t which, const weir::Item& item, Word word) {
    if (which < kObjects) {
      item.span<Word>()[0] = word;
    } else if (which >= kObjects + kTiles) {
      const auto words = item.span<Word>();
      words.front() = words.back() = word;
    } else {
      const auto tile = item.view<Word>();
      for (std::size_t row = 0; row < kTileRows; ++row) std::fill_n(tile.row(row), kTileRows, word);
    }
  }

  void check(Word id, Word hash) { read_[id % kMostTasks].store(hash, std::memory_order_relaxed); }

  void finish() {
    if (throwing_) {
      try {
        runtime_.wait();
      } catch (const std::runtime_error& error) {
        stress_.check(std::strcmp(error.what(), "of a task") == 0, "an exception of another kind");
      }
      return;
    }
    // In some graphs the blocks go before their tasks have ended.
    const bool early = below(3) == 0;
    for (std::size_t i = 0; i < kBlocks && !early; ++i) {
      if (blocks_[i] == nullptr) continue;
      runtime_.spawn(in(*blocks_[i]), [this, wanted = serial_[kObjects + kTiles + i]](std::span<const Word> words) {
        if (words.front() != wanted || words.back() != wanted) ++wrong_;
      });
    }
    if (early) std::ranges::fill(blocks_, nullptr);
    runtime_.wait();
    stress_.check(ids_ < kMostTasks, "a graph of more tasks than there is room for");
    for (const auto& [id, hash] : wanted_) stress_.check(read_[id].load() == hash, "a task has read something else");
    for (std::size_t i = 0; i < kObjects; ++i) stress_.check(objects_[i] == serial_[i], "an object at the end");
    for (std::size_t i = 0; i < kTiles; ++i)
      stress_.check(data_[i / kGrid * kTileRows * kSide + i % kGrid * kTileRows] == serial_[kObjects + i],
                    "a tile at the end");
    stress_.check(wrong_ == 0, "contents that no task has written");
  }

  static constexpr std::size_t kMostTasks = 4096;
  struct Wanted {
    Word id, hash;
  };

  weir::Runtime& runtime_;
  Stress& stress_;
  bool throwing_ = false;
  Word ids_ = 0;
  std::vector<std::unique_ptr<Plan>> plans_;
  Word objects_[kObjects] = {};
  Word data_[kSide * kSide] = {};
  weir::Watched<Word> watched_{data_, kSide, kSide, kSide, kTileRows, kTileRows};
  BlockPtr blocks_[kBlocks], spawning_[kBlocks];
  Word serial_[kObjects + kTiles + kBlocks] = {};
  std::vector<Wanted> wanted_;
  std::vector<std::atomic<Word>> read_ = std::vector<std::atomic<Word>>(kMostTasks);
  std::atomic<long> wrong_{0};
};

long graphs_asked_for() {
  const char* const text = std::getenv("WEIR_STRESS_GRAPHS");
  long graphs = 0;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), graphs);
  unsetenv("WEIR_STRESS_GRAPHS");
  return graphs;
}

}  // namespace

int main(int argc, char** argv) {
  const long asked = graphs_asked_for();
  Stress stress(argc, argv);
  long graphs = 0;
  const auto goes_on = [&] { return asked != 0 ? graphs < asked : stress.goes_on() || graphs == 0; };
  while (goes_on()) {
    weir::Options options = weir::stress::with_workers(1 << stress.below(4));
    options.tiers = kTiers[stress.below(3)];
    options.strategy = static_cast<weir::Strategy>(1 + stress.below(4));  // not off, which keeps an eighth for files
    weir::Runtime runtime(options);
    for (int i = 0; i < 50 && goes_on(); ++i) {
      stress.doing("running graph", ++graphs);
      Graph(runtime, stress).run();
    }
  }
  std::printf("%ld graphs\n", graphs);
}
