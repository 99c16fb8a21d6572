// SPDX-License-Identifier: Apache-2.0

// Random puts, gets, atomics, fences and quiets, against a model of what may be seen.
//
// Each rank has a row of words at every rank, which nobody else writes, and an epoch that fence() and quiet() end. In
// an epoch it writes a word at most once, with the number of the epoch. Who has seen a word of epoch e at a rank must
// then find in each word of the row what was written there last before e, or later: that is what a fence is for. Every
// rank knows the plans of all, as they follow from a seed.
#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <vector>

#include "conformance/transport/bodies.hpp"

namespace weir::transport::conformance {
namespace {

constexpr std::uint32_t kWords = 8, kSteps = 80;

enum class Kind : std::uint8_t { put, put_nbi, set, set_nbi, add, add_nbi, fetch_add, fence, quiet, quiet_one, look };

struct Step {
  Kind kind = Kind::fence;
  std::uint32_t rank = 0;
  std::uint32_t word = 0;    // of a write; of a look: whose row it is
  std::uint64_t number = 0;  // the epoch of a write; what is added
};
bool writes(const Step& step) { return step.kind <= Kind::set_nbi; }
bool adds(const Step& step) { return step.kind >= Kind::add && step.kind <= Kind::fetch_add; }
bool ends_epoch(const Step& step) { return step.kind >= Kind::fence && step.kind <= Kind::quiet_one; }

using Plan = std::vector<Step>;

Plan plan_of(std::uint64_t seed, std::uint32_t rank, std::uint32_t ranks) {
  std::mt19937_64 random(seed * 1000 + rank);
  Plan plan;
  std::vector<std::uint64_t> written(std::size_t{ranks} * kWords, 0);
  std::uint64_t epoch = 1;
  while (plan.size() < kSteps) {
    Step step{static_cast<Kind>(random() % 11), static_cast<std::uint32_t>(random() % ranks),
              static_cast<std::uint32_t>(random() % kWords), 1 + random() % 9};
    if (step.kind == Kind::look) step.word = static_cast<std::uint32_t>(random() % ranks);
    if (writes(step)) {
      std::uint64_t& last = written[step.rank * kWords + step.word];
      if (last == epoch) step.kind = Kind::fence;
      last = step.number = epoch;
    }
    if (ends_epoch(step)) ++epoch;
    plan.push_back(step);
  }
  return plan;
}

class Play {
 public:
  Play(Transport& t, std::uint64_t seed)
      : t_(t), region_(required(t.make_region({.size = {4096}}))), channel_(t.open_channel()) {
    for (std::uint32_t rank = 0; rank < t.ranks(); ++rank) plans_.push_back(plan_of(seed, rank, t.ranks()));
    seen_.resize(std::size_t{t.ranks()} * t.ranks(), 0);
    random_.seed(seed + me(t));
    sources_.reserve(kSteps);
    answers_.reserve(kSteps);
  }

  void run() {
    for (const Step& step : plans_[me(t_)]) act(step);
    require(channel_->quiet());
    require(t_.barrier());
    for (std::uint32_t writer = 0; writer < t_.ranks(); ++writer) require_all(writer, me(t_), ~std::uint64_t{0});
    require(read(me(t_), counter()) == sum_for(me(t_)), "each addition counts once");
    require(t_.barrier());
    channel_.reset();
    require(t_.free_region(region_.id));
  }

 private:
  std::uint32_t counter() const { return t_.ranks() * kWords; }
  Location at(std::uint32_t rank, std::uint32_t index) const { return {Rank{rank}, region_.id, index * 8ULL}; }

  void act(const Step& step) {
    const Location to = at(step.rank, adds(step) ? counter() : me(t_) * kWords + step.word);
    sources_.push_back(step.number);
    answers_.push_back(0);
    switch (step.kind) {
      case Kind::put: put(to, step.number); break;
      case Kind::put_nbi: require(channel_->put_nbi(to, &sources_.back(), sizeof(std::uint64_t))); break;
      case Kind::set: require(channel_->atomic(to, AtomicOp::set, kWidth, step.number).status()); break;
      case Kind::set_nbi: require(channel_->atomic_nbi(to, AtomicOp::set, kWidth, step.number, 0, nullptr)); break;
      case Kind::add: require(channel_->atomic(to, AtomicOp::add, kWidth, step.number).status()); break;
      case Kind::add_nbi:
        require(channel_->atomic_nbi(to, AtomicOp::fetch_add, kWidth, step.number, 0, &answers_.back()));
        break;
      case Kind::fetch_add: fetch_add(to, step); break;
      case Kind::fence: require(channel_->fence()); break;
      case Kind::quiet: require(channel_->quiet()); break;
      case Kind::quiet_one: require(channel_->quiet(std::span(&to.rank, 1))); break;
      case Kind::look: look(step.word, step.rank); break;
    }
    if (ends_epoch(step)) ++epoch_;
    if (step.kind == Kind::quiet_one) require(channel_->fence());  // the epoch ends for the other ranks, too
    if (step.kind == Kind::quiet || step.kind == Kind::quiet_one) require_all(me(t_), step.rank, epoch_);
  }

  void put(const Location& to, std::uint64_t value) {
    source_ = value;
    require(channel_->put(to, &source_, sizeof source_));
    source_ = ~value;  // it may be used again
  }

  void fetch_add(const Location& to, const Step& step) {
    const std::uint64_t old = required(channel_->atomic(to, AtomicOp::fetch_add, kWidth, step.number));
    require(old + step.number <= sum_for(step.rank), "no more is added than all add");
  }

  std::uint64_t read(std::uint32_t rank, std::uint32_t index) const {
    if (rank == me(t_)) return std::atomic_ref(reinterpret_cast<std::uint64_t*>(region_.data)[index]).load();
    std::uint64_t value = 0;
    require(channel_->get(&value, at(rank, index), sizeof value));
    return value;
  }

  // What the writer has put there last, of the epochs before one; 0: nothing.
  std::uint64_t latest(std::uint32_t writer, std::uint32_t at, std::uint32_t word, std::uint64_t before) const {
    std::uint64_t found = 0;
    for (const Step& step : plans_[writer]) {
      const bool is_it = writes(step) && step.rank == at && step.word == word;
      if (is_it && step.number < before) found = step.number;
    }
    return found;
  }

  // A row in any order: what is seen of an epoch says what must be there of those before it.
  void look(std::uint32_t writer, std::uint32_t at) {
    std::uint64_t& seen = seen_[std::size_t{writer} * t_.ranks() + at];
    std::uint32_t words[kWords];
    std::iota(std::begin(words), std::end(words), 0);
    std::shuffle(std::begin(words), std::end(words), random_);
    for (const std::uint32_t word : words) {
      const std::uint64_t value = read(at, writer * kWords + word);
      require(latest(writer, at, word, value + 1) == value, "a value that was written to this word");
      require(value >= latest(writer, at, word, seen), "what comes before a fence is seen before what comes after it");
      seen = std::max(seen, value);
    }
  }

  void require_all(std::uint32_t writer, std::uint32_t at, std::uint64_t before) const {
    for (std::uint32_t word = 0; word < kWords; ++word) {
      require(read(at, writer * kWords + word) == latest(writer, at, word, before), "all is done after a quiet");
    }
  }

  std::uint64_t sum_for(std::uint32_t rank) const {
    std::uint64_t sum = 0;
    for (const Plan& plan : plans_) {
      for (const Step& step : plan) sum += adds(step) && step.rank == rank ? step.number : 0;
    }
    return sum;
  }

  static constexpr AtomicWidth kWidth = AtomicWidth::bits64;

  Transport& t_;
  Region region_;
  std::unique_ptr<Channel> channel_;
  std::vector<Plan> plans_;                       // of all ranks
  std::vector<std::uint64_t> seen_;               // the latest epoch, of each writer at each rank
  std::uint64_t source_ = 0;                      // of a put
  std::vector<std::uint64_t> sources_, answers_;  // of what is done at the next quiet()
  std::mt19937_64 random_;
  std::uint64_t epoch_ = 1;
};

void random_operations_are_seen_as_a_model_says(Transport& t) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) random_operations(t, seed);
}

constexpr Body kRandomBodies[] = {
    {"random_operations_are_seen_as_a_model_says", random_operations_are_seen_as_a_model_says}};

}  // namespace

void random_operations(Transport& t, std::uint64_t seed) { Play(t, seed).run(); }

std::span<const Body> random_bodies() { return kRandomBodies; }

}  // namespace weir::transport::conformance
