// SPDX-License-Identifier: Apache-2.0

// Random tasks on blocks whose footprints are near the budget of the fast tier, under all strategies and evictions,
// over memory, files and several fast nodes; the contents are compared with those of a serial run.
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/runtime_state.hpp"
#include "stress.hpp"

namespace {

using weir::stress::Stress;
using Word = std::uint64_t;

struct Tiers {
  const char* tiers;
  const char* machine;
  weir::Allocation allocation;
  weir::Io io;
  std::size_t most;  // bytes that a footprint may have
};

constexpr const char* kSnc4 = "pack:1 group:4 [numa(memory=24GiB)] [numa(memory=4GiB)] l2:8 core:2 pu:4";
constexpr Tiers kTiers[] = {
    {"memory=1MiB,emulated=64MiB@1", "", weir::Allocation::fast, weir::Io::auto_, 900 << 10},
    {"memory=1MiB,file=/tmp:64MiB", "", weir::Allocation::fast, weir::Io::auto_, 900 << 10},
    {"memory=1MiB,file=/tmp:64MiB", "", weir::Allocation::fast, weir::Io::threads, 900 << 10},
    {"hbm=4MiB,ddr=64MiB", kSnc4, weir::Allocation::local_fast, weir::Io::auto_, 900 << 10},
    {"hbm=4MiB,ddr=64MiB", kSnc4, weir::Allocation::fast, weir::Io::auto_, 1300 << 10},  // more than a node's
    {"hbm=4MiB,file=/tmp:64MiB", kSnc4, weir::Allocation::local_fast, weir::Io::auto_, 900 << 10},
    {"hbm=4MiB,file=/tmp:64MiB", kSnc4, weir::Allocation::fast, weir::Io::auto_, 1300 << 10},
    {"memory=1MiB,emulated=2MiB@1,file=/tmp:64MiB", "", weir::Allocation::fast, weir::Io::auto_, 900 << 10},
    {"hbm=4MiB,ddr=8MiB,file=/tmp:64MiB", kSnc4, weir::Allocation::local_fast, weir::Io::auto_, 900 << 10},
};
// Off keeps an eighth of the fast tier for blocks in files.
constexpr Tiers kOffWithFile = {"memory=8MiB,file=/tmp:64MiB", "", weir::Allocation::fast, weir::Io::auto_, 500 << 10};

// Word 0 counts what concurrent tasks add; word i of the rest is hash ^ i * kSpread.
constexpr Word kSpread = 0x9e3779b97f4a7c15u;

Word read(std::span<const Word> x, std::atomic<long>& wrong) {
  const Word hash = x[1] ^ kSpread;
  for (const std::size_t i : {x.size() / 3 + 1, x.size() / 2 + 1, x.size() - 1}) {
    if ((x[i] ^ i * kSpread) != hash) ++wrong;
  }
  return hash;
}
void write(std::span<Word> x, Word hash) {
  for (std::size_t i = 1; i < x.size(); ++i) x[i] = hash ^ i * kSpread;
}
Word mix(Word a, Word b) { return (a ^ b >> 7) * kSpread + b; }

struct Shadow {  // a block, and what the serial run has in it
  weir::Block<Word> block;
  Word hash = 0;
  Word count = 0;
};

class Program {
 public:
  Program(weir::Runtime& runtime, std::size_t most, unsigned seed, std::atomic<long>& wrong)
      : runtime_(runtime), most_(most), random_(seed), wrong_(wrong) {
    for (int i = 0; i < 14; ++i) make();
  }

  void run(int tasks) {
    for (int i = 0; i < tasks; ++i) {
      switch (below(24)) {
        case 0: make(); break;
        case 1: destroy(); break;
        case 2:
        case 3: nested(); break;
        case 4: cancelled(); break;
        case 5: settle(); break;
        case 6: growing(); break;
        default: spawn();
      }
    }
    check();
  }

 private:
  unsigned below(std::size_t limit) { return static_cast<unsigned>(random_() % limit); }
  Shadow& any() { return *shadows_[below(shadows_.size())]; }
  weir::Priority any_priority() { return static_cast<weir::Priority>(below(3)); }

  void make() {
    static constexpr std::size_t kWords[] = {8, 100, 512, 5000, 12000, 25000, 40000, 50000};
    const std::size_t words = kWords[below(std::size(kWords))];
    auto shadow = std::make_unique<Shadow>(Shadow{weir::Block<Word>(runtime_, words, "block")});
    runtime_.spawn(weir::out(shadow->block), [](std::span<Word> x) {
      x[0] = 0;
      write(x, 0);
    });
    shadows_.push_back(std::move(shadow));
  }
  void settle() {
    runtime_.wait();
    temporaries_.clear();
  }
  void destroy() {
    if (shadows_.size() < 6) return;
    settle();
    shadows_.erase(shadows_.begin() + below(shadows_.size()));
  }

  void spawn() {
    Shadow *a = &any(), *b = &any(), *c = &any();
    const Word id = random_();
    if (a == b || (a->block.size() + b->block.size()) * sizeof(Word) > most_) return alone(*a, id);
    const bool three =
        c != a && c != b && (a->block.size() + b->block.size() + c->block.size()) * sizeof(Word) <= most_;
    auto& wrong = wrong_;
    if (!three) {
      a->hash = mix(a->hash, b->hash) + id;
      runtime_.spawn(weir::inout(a->block), weir::in(b->block), any_priority(),
                     [&wrong, id](std::span<Word> x, std::span<const Word> y) {
                       write(x, mix(read(x, wrong), read(y, wrong)) + id);
                     });
      return;
    }
    a->hash = mix(b->hash, c->hash) + id;
    runtime_.spawn(weir::out(a->block), weir::in(b->block), weir::in(c->block),
                   [&wrong, id, count = a->count](std::span<Word> x, std::span<const Word> y, std::span<const Word> z) {
                     x[0] = count;
                     write(x, mix(read(y, wrong), read(z, wrong)) + id);
                   });
  }
  void alone(Shadow& a, Word id) {
    auto& wrong = wrong_;
    switch (below(4)) {
      case 0:
        a.hash += id;
        runtime_.spawn(weir::commutative(a.block), [&wrong, id](std::span<Word> x) { write(x, read(x, wrong) + id); });
        break;
      case 1:
        a.count += id;
        runtime_.spawn(weir::concurrent(a.block), [id](std::span<Word> x) { std::atomic_ref(x[0]).fetch_add(id); });
        break;
      case 2:
        a.hash = mix(a.hash, id);
        runtime_.spawn(weir::inout(a.block), weir::on_domain(static_cast<int>(below(runtime_.domain_count()))),
                       [&wrong, id](std::span<Word> x) { write(x, mix(read(x, wrong), id)); });
        break;
      default:
        runtime_.spawn(weir::in(a.block), [&wrong, hash = a.hash](std::span<const Word> x) {
          if (read(x, wrong) != hash) ++wrong;
        });
    }
  }

  void nested() {
    Shadow *a = &any(), *b = &any();
    if (a == b || (a->block.size() + b->block.size()) * sizeof(Word) > most_) return;
    const Word id = random_();
    auto& wrong = wrong_;
    const bool waits = below(2) == 0;
    runtime_.spawn(weir::inout(a->block), weir::inout(b->block), [&wrong, id, a, b, waits] {
      for (Word i = 0; i < 3; ++i) {
        weir::spawn(weir::inout(a->block), weir::in(b->block),
                    [&wrong, id](std::span<Word> x, std::span<const Word> y) {
                      write(x, mix(read(x, wrong), read(y, wrong)) + id);
                    });
        weir::spawn(weir::inout(b->block), [&wrong, id](std::span<Word> y) { write(y, mix(read(y, wrong), id)); });
      }
      if (waits) weir::wait();
    });
    for (int i = 0; i < 3; ++i) {
      a->hash = mix(a->hash, b->hash) + id;
      b->hash = mix(b->hash, id);
    }
  }

  // Tasks within a task that want a block of their own beside what that holds; they fit, one at a time.
  void growing() {
    Shadow* const a = &any();
    const std::size_t words = 20000 + below(30000);
    if ((a->block.size() + words) * sizeof(Word) > most_) return;
    const weir::Block<Word>* const own = &temporaries_.emplace_back(runtime_, words, "temporary");
    const Word id = random_();
    const bool waits = below(2) == 0;
    auto& wrong = wrong_;
    runtime_.spawn(weir::inout(a->block), [&wrong, own, id, waits](std::span<Word> x) {
      weir::spawn([&wrong, own, id, waits] {
        weir::spawn(weir::out(*own), [id](std::span<Word> y) { write(y, id); });
        if (waits) weir::wait();
        weir::spawn(weir::in(*own), [&wrong, id](std::span<const Word> y) {
          if (read(y, wrong) != id) ++wrong;
        });
      });
      if (waits) weir::wait();
      write(x, mix(read(x, wrong), id));
    });
    a->hash = mix(a->hash, id);
  }

  // What a task that never ran would have overwritten is still there: one of the two, but all of it.
  void cancelled() {
    Shadow &a = any(), &b = any();
    if (&a == &b) return;
    auto& wrong = wrong_;
    runtime_.wait();
    std::atomic<bool> ran{false};
    const Word before = a.hash, count = a.count;
    runtime_.spawn(weir::inout(b.block), [](std::span<Word>) { throw 1; });
    runtime_.spawn(weir::out(a.block), [&ran, count](std::span<Word> x) {
      ran = true;
      x[0] = count;
      write(x, 77);
    });
    try {
      runtime_.wait();
    } catch (int) {
    }
    a.hash = ran ? 77 : before;
    runtime_.spawn(weir::in(a.block), [&wrong, hash = a.hash](std::span<const Word> x) {
      if (read(x, wrong) != hash) ++wrong;
    });
  }

  void check() {
    settle();
    auto& wrong = wrong_;
    for (const auto& s : shadows_) {
      runtime_.spawn(weir::in(s->block), [&wrong, hash = s->hash, count = s->count](std::span<const Word> x) {
        if (read(x, wrong) != hash || x[0] != count) ++wrong;
      });
    }
    runtime_.wait();
  }

  weir::Runtime& runtime_;
  const std::size_t most_;
  std::mt19937 random_;
  std::atomic<long>& wrong_;
  std::vector<std::unique_ptr<Shadow>> shadows_;
  std::deque<weir::Block<Word>> temporaries_;
};

void say_what_waits(void* runtime) {
  weir::runtime::State& state = *weir::detail::RuntimeAccess::state(*static_cast<weir::Runtime*>(runtime));
  weir::data::Store* const store = state.blocks->find_store();
  if (store == nullptr) return;
  for (const std::string& line : store->describe()) std::fprintf(stderr, "  %s\n", line.c_str());
  const auto changes = static_cast<unsigned long>(store->activity().changes);
  std::fprintf(stderr, "  %lu changes; the scheduler is %s\n", changes, state.scheduler->is_still() ? "still" : "busy");
  state.scheduler->for_each_worker([](const weir::sched::Worker& worker) {
    const bool idle = worker.idle(), task = worker.has_visible_task();
    std::fprintf(stderr, "  worker %d of domain %d %s%s%s\n", worker.index(), worker.domain(), idle ? "idle" : "busy",
                 worker.blocked() ? ", blocked" : "", task ? ", has a task to be taken" : "");
  });
  for (int domain = 0; domain < state.scheduler->domain_count(); ++domain) {
    const weir::sched::DomainQueues& queues = state.scheduler->queues(domain);
    if (queues.urgent.empty() && queues.ready.empty() && queues.background.empty()) continue;
    std::fprintf(stderr, "  domain %d has tasks to be taken\n", domain);
  }
}

void round(Stress& stress, const Tiers& tiers, weir::Strategy strategy, weir::Evict evict, int workers) {
  weir::Options options = weir::stress::with_workers(workers);
  options.tiers = tiers.tiers;
  options.machine = tiers.machine;
  options.allocation = tiers.allocation;
  options.io = tiers.io;
  options.strategy = strategy;
  options.evict = evict;
  options.overflow = weir::Overflow::in_place;
  options.chains = weir::Chains::on;  // of those of three tiers
  std::atomic<long> wrong{0};
  const bool guests = stress.below(3) == 0;
  // The parts of a case as digits: tiers, strategy, eviction, workers.
  const long number = (&tiers == &kOffWithFile ? 9 : &tiers - kTiers) * 1000 + static_cast<int>(strategy) * 100 +
                      static_cast<int>(evict) * 10 + workers;
  stress.doing(guests ? "random tasks of several threads" : "random tasks", number);
  {
    weir::Runtime runtime(options);
    stress.watch_over(&runtime, &say_what_waits);
    std::vector<std::thread> threads;
    for (int g = 0; g < (guests ? 2 : 0); ++g) {
      threads.emplace_back(
          [&, seed = static_cast<unsigned>(stress.random())] { Program(runtime, tiers.most, seed, wrong).run(80); });
    }
    Program(runtime, tiers.most, static_cast<unsigned>(stress.random()), wrong).run(150);
    for (auto& thread : threads) thread.join();
    stress.watch_over(nullptr, nullptr);
    for (const auto& tier : runtime.tier_statistics().tiers) stress.check(tier.peak <= tier.budget, "a tier's budget");
  }
  stress.check(wrong == 0, "contents of blocks");
}

}  // namespace

// With a case as the third argument (its digits as round() says them) that one all the time.
int main(int argc, char** argv) {
  Stress stress(argc, argv);
  const long only = argc > 3 ? std::atol(argv[3]) : -1;
  long rounds = 0;
  for (; stress.goes_on() || rounds == 0; ++rounds) {
    auto strategy = static_cast<weir::Strategy>(stress.below(6));
    auto evict = static_cast<weir::Evict>(stress.below(3));
    const Tiers* tiers = &kTiers[stress.below(std::size(kTiers))];
    const bool file = std::string(tiers->tiers).find("file") != std::string::npos;
    if (strategy == weir::Strategy::off && file) tiers = &kOffWithFile;
    static constexpr int kWorkers[] = {1, 2, 8};
    int workers = kWorkers[stress.below(3)];
    if (only >= 0) {
      tiers = only / 1000 == 9 ? &kOffWithFile : &kTiers[only / 1000];
      strategy = static_cast<weir::Strategy>(only / 100 % 10);
      evict = static_cast<weir::Evict>(only / 10 % 10);
      workers = static_cast<int>(only % 10);
    }
    round(stress, *tiers, strategy, evict, workers);
  }
  std::printf("%ld rounds\n", rounds);
}
