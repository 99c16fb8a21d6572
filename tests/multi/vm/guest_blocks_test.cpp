// SPDX-License-Identifier: Apache-2.0

// Where the pages of blocks are while a task uses them, by the kernel's word, page by page: under each allocation mode,
// after blocks have been moved and evicted, and when somebody else has filled the fast memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "guest_main.hpp"
#include "guest_memory.hpp"
#include "weir/weir.hpp"

namespace weir::guest {
namespace {

using Nodes = std::set<int>;
using Values = std::span<std::uint64_t>;

constexpr std::size_t kBlock = 512 * kKiB, kElements = kBlock / sizeof(std::uint64_t);

bool has_hbm() { return !layout->hbm_of_domain.empty(); }
int domains() { return static_cast<int>(layout->domains.size()); }
Nodes ordinary() { return {layout->domains.begin(), layout->domains.end()}; }
Nodes fast() { return has_hbm() ? Nodes(layout->hbm_of_domain.begin(), layout->hbm_of_domain.end()) : ordinary(); }
int ordinary_node(int domain) { return layout->domains[std::size_t(domain)]; }
int fast_node(int domain) {
  return has_hbm() ? layout->hbm_of_domain[std::size_t(domain)] : layout->domains[std::size_t(domain)];
}

// Where the mode says that the blocks of a task, or of its maker, are.
Nodes promised(Allocation mode, int domain) {
  switch (mode) {
    case Allocation::fast: return fast();
    case Allocation::local: return {ordinary_node(domain)};
    case Allocation::local_fast: return {fast_node(domain)};
    case Allocation::default_: break;
  }
  return ordinary();  // the kernel gives HBM to nobody who does not ask
}

bool subset(const Nodes& part, const Nodes& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

std::string text_of(const Nodes& nodes) {
  std::string text;
  for (const int node : nodes) (text += " ") += std::to_string(node);
  return text;
}

// Told by tasks, read after the runtime's wait().
class Findings {
 public:
  void expect(const void* data, std::size_t bytes, const Nodes& allowed, const std::string& what) {
    const Nodes found = nodes_under(data, bytes);
    const std::lock_guard lock(mutex_);
    ++looked_;
    if (!subset(found, allowed)) wrong_.push_back(what + ": on" + text_of(found) + ", not on" + text_of(allowed));
    for (const int node : found) nodes_.insert(node);
  }
  void expect(bool right, const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (!right) wrong_.push_back(what);
  }
  // At least `least` looks, all of them right.
  void check(int least) const {
    EXPECT_GE(looked_, least);
    EXPECT_TRUE(wrong_.empty()) << wrong_.size() << " of " << looked_ << " wrong, the first: " << wrong_[0];
  }
  const Nodes& nodes() const noexcept { return nodes_; }

 private:
  std::mutex mutex_;
  int looked_ = 0;
  std::vector<std::string> wrong_;
  Nodes nodes_;
};

Options options_for(Allocation mode, std::string tiers) {
  Options options;
  options.policy = Policy::numa;  // tasks stay in the domain that they ask for
  options.tiers = std::move(tiers);
  options.allocation = mode;
  return options;
}

// A fast tier of `fast` MiB in all, and ordinary memory beside it, as far as that is another tier.
std::string tiers_of(int fast, int ordinary = 96) {
  if (!has_hbm()) return "ddr=" + std::to_string(fast) + "MiB";
  return "hbm=" + std::to_string(fast) + "MiB,ddr=" + std::to_string(ordinary) + "MiB";
}

constexpr Allocation kModes[] = {Allocation::default_, Allocation::fast, Allocation::local, Allocation::local_fast};

void stay(Allocation mode) {
  Runtime runtime(options_for(mode, tiers_of(8)));
  Findings findings;
  constexpr int kEach = 2;
  std::vector<std::unique_ptr<Block<std::uint64_t>>> blocks(std::size_t(domains() * kEach));
  for (int d = 0; d < domains(); ++d) {
    runtime.spawn(on_domain(d), [&, d] {
      for (int i = 0; i < kEach; ++i) {
        blocks[std::size_t(d * kEach + i)] = std::make_unique<Block<std::uint64_t>>(runtime, kElements, "made here");
      }
    });
  }
  runtime.wait();
  for (int d = 0; d < domains(); ++d) {
    for (int i = 0; i < kEach; ++i) {
      runtime.spawn(on_domain(d), out(*blocks[std::size_t(d * kEach + i)]), [&, d](Values x) {
        std::fill(x.begin(), x.end(), 1);
        findings.expect(x.data(), x.size_bytes(), promised(mode, d), "domain " + std::to_string(d));
      });
    }
  }
  runtime.wait();
  findings.check(domains() * kEach);
  EXPECT_EQ(runtime.tier_statistics().evictions, 0u);
  for (const TierReport& tier : runtime.tier_statistics().tiers) EXPECT_EQ(tier.obtained_share, 1.0) << tier.node;
}

TEST(GuestBlocks, ThatNeedNotMoveAreWhereTheModePutsThoseOfTheirMaker) {
  for (const Allocation mode : kModes) {
    SCOPED_TRACE("allocation mode " + std::to_string(static_cast<int>(mode)));
    stay(mode);
  }
}

// More than the tier holds that the mode brings blocks to, in several rounds and from changing domains: each use must
// find the contents of the last, on the nodes that `allowed` says for the task's domain and those where it is.
// `tiers_are_open` is called when the tiers have their budgets, before there are blocks.
void run_rounds(
    const Options& options, std::size_t count, Findings& findings, TierStatistics& statistics,
    const std::function<Nodes(int, const Nodes&)>& allowed, const std::function<void()>& tiers_are_open = [] {}) {
  Runtime runtime(options);
  tiers_are_open();
  std::vector<std::unique_ptr<Block<std::uint64_t>>> blocks;
  for (std::size_t b = 0; b < count; ++b) blocks.push_back(std::make_unique<Block<std::uint64_t>>(runtime, kElements));
  constexpr std::uint64_t kRounds = 3;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    for (std::size_t b = 0; b < count; ++b) {
      const int domain = int((b + round) % std::size_t(domains()));
      const auto body = [&findings, &allowed, domain, round, b](Values x) {
        findings.expect(x.data(), x.size_bytes(), allowed(domain, nodes_under(x.data(), x.size_bytes())),
                        "domain " + std::to_string(domain));
        const auto right = [&](std::uint64_t value) { return round == 0 || value == b + round - 1; };
        findings.expect(std::all_of(x.begin(), x.end(), right), "contents of block " + std::to_string(b));
        std::fill(x.begin(), x.end(), b + round);
      };
      if (round == 0) {
        runtime.spawn(on_domain(domain), out(*blocks[b]), body);
      } else {
        runtime.spawn(on_domain(domain), inout(*blocks[b]), body);
      }
    }
    runtime.wait();  // or a block would go through all rounds while it is there
  }
  statistics = runtime.tier_statistics();
  findings.check(int(count * kRounds));
}

void move(Allocation mode) {
  const bool local = mode == Allocation::local || mode == Allocation::default_;
  // Where ordinary memory is what blocks are brought to, a file is what they leave it for.
  const int top = 4 * domains();
  const std::string tiers = local && has_hbm() ? "hbm=8MiB,ddr=" + std::to_string(top) + "MiB,file=/tmp:96MiB"
                            : has_hbm()        ? tiers_of(top)
                                               : "ddr=" + std::to_string(top) + "MiB,file=/tmp:96MiB";
  const std::size_t count = 3 * std::size_t(top) * kMiB / kBlock;
  Findings findings;
  TierStatistics statistics;
  std::atomic<int> own{0}, others{0};
  run_rounds(options_for(mode, tiers), count, findings, statistics, [&](int domain, const Nodes& here) {
    // A block that is in the tier stays where it was brought first; under local-fast only when it is in use there or on
    // its way out.
    if (mode == Allocation::local_fast) ++(subset(here, promised(Allocation::local_fast, domain)) ? own : others);
    return mode == Allocation::local_fast || mode == Allocation::fast ? fast() : ordinary();
  });
  EXPECT_LE(others, own / 2) << "tasks that used a block beside another domain";
  EXPECT_GT(statistics.evictions, count / 2);
  EXPECT_GT(statistics.bytes_fetched, count * kBlock / 2);
  for (const TierReport& tier : statistics.tiers) {
    EXPECT_LE(tier.peak, tier.budget) << tier.node;
    EXPECT_EQ(tier.obtained_share, 1.0) << tier.node;
  }
  if (mode == Allocation::fast) {
    EXPECT_EQ(findings.nodes(), fast());
  }
}

TEST(GuestBlocks, ThatAreEvictedAndFetchedAgainComeBackToWhereTheModePutsThem) {
  for (const Allocation mode : kModes) {
    SCOPED_TRACE("allocation mode " + std::to_string(static_cast<int>(mode)));
    move(mode);
  }
}

TEST(GuestBlocks, ATaskOfAnotherDomainGetsItsOwnReplicaUnderLocalFast) {
  if (domains() < 2) GTEST_SKIP() << "one domain";
  // One block more than fits, so that blocks are tracked and move.
  Runtime runtime(
      options_for(Allocation::local_fast, has_hbm() ? tiers_of(4 * domains()) : "ddr=16MiB,file=/tmp:64MiB"));
  std::vector<std::unique_ptr<Block<std::uint64_t>>> rest;
  for (std::size_t got = 0; got <= 32 * kMiB; got += kBlock) {
    rest.push_back(std::make_unique<Block<std::uint64_t>>(runtime, kElements));
    runtime.spawn(out(*rest.back()), [](Values x) { std::fill(x.begin(), x.end(), 7); });
  }
  Block<std::uint64_t>& shared = *rest.back();
  runtime.wait();
  Findings findings;
  for (int round = 0; round < 3; ++round) {
    for (int d = 0; d < domains(); ++d) {
      runtime.spawn(on_domain(d), in(shared), [&, d](std::span<const std::uint64_t> x) {
        findings.expect(x.data(), x.size_bytes(), {fast_node(d)}, "domain " + std::to_string(d));
        findings.expect(std::all_of(x.begin(), x.end(), [](std::uint64_t v) { return v == 7; }), "contents");
      });
      runtime.wait();
    }
  }
  findings.check(3 * domains());
}

// Others take the fast memory while the program runs: budgets shrink to what is there, tasks get their blocks in it as
// far as it goes and in slow memory else; nobody is killed and nothing is lost.
TEST(GuestBlocksFull, AFastTierThatOthersFillMeanwhileHoldsWhatItHasAndTheRestIsElsewhere) {
  if (!has_hbm()) GTEST_SKIP() << "no HBM in this guest";
  // Taken before the tiers are open, this memory would not be in their budgets, and so nothing to warn of.
  std::optional<FullNode> full;
  Options options =
      options_for(Allocation::local_fast, "prefer,hbm=" + std::to_string(32 * domains()) + "MiB,ddr=128MiB");
  Findings findings;
  TierStatistics statistics;
  Nodes all = ordinary();
  for (const int node : fast()) all.insert(node);
  run_rounds(
      options, 96, findings, statistics, [&](int, const Nodes&) { return all; },
      [&] { full.emplace(fast_node(0), 6 * kMiB); });
  std::uint64_t warnings = 0;
  for (const TierReport& tier : statistics.tiers) warnings += tier.warnings;
  EXPECT_GT(warnings + statistics.warnings.size(), 0u);
}

TEST(GuestBlocksFull, WithoutPreferBlocksGoWhereThereIsRoom) {
  if (!has_hbm()) GTEST_SKIP() << "no HBM in this guest";
  Findings findings;
  TierStatistics statistics;
  Nodes all = ordinary();
  for (const int node : fast()) all.insert(node);
  // The tiers are opened, and then the nodes are filled.
  Runtime runtime(options_for(Allocation::fast, tiers_of(32 * domains(), 128)));
  std::vector<std::unique_ptr<FullNode>> full;
  for (const int node : fast()) full.push_back(std::make_unique<FullNode>(node, 6 * kMiB));
  constexpr std::size_t kCount = 96;
  std::vector<std::unique_ptr<Block<std::uint64_t>>> blocks;
  for (std::size_t b = 0; b < kCount; ++b) blocks.push_back(std::make_unique<Block<std::uint64_t>>(runtime, kElements));
  for (std::uint64_t round = 0; round < 3; ++round) {
    for (std::size_t b = 0; b < kCount; ++b) {
      runtime.spawn(inout(*blocks[b]), [&, b, round](Values x) {
        const auto right = [&](std::uint64_t value) { return round == 0 || value == b + round - 1; };
        findings.expect(std::all_of(x.begin(), x.end(), right), "contents of block " + std::to_string(b));
        findings.expect(x.data(), x.size_bytes(), all, "round " + std::to_string(round));
        std::fill(x.begin(), x.end(), b + round);
      });
    }
  }
  runtime.wait();
  findings.check(3 * kCount);
  for (const TierReport& tier : runtime.tier_statistics().tiers) {
    EXPECT_LE(tier.used, tier.budget) << tier.node;
    EXPECT_EQ(tier.obtained_share, 1.0) << tier.node;
  }
}

TEST(GuestBlocksFull, ABlockLargerThanEveryTierIsAnErrorThatNamesThem) {
  Runtime runtime(options_for(Allocation::fast, tiers_of(16, 32)));
  try {
    const Block<char> block(runtime, 64 * kMiB, "huge");
    FAIL() << "a block of 64 MiB was made";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("\"huge\" of 64 MiB"), std::string::npos) << text;
    EXPECT_NE(text.find(has_hbm() ? "hbm 16 MiB" : "ddr 16 MiB"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace weir::guest
