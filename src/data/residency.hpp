// SPDX-License-Identifier: Apache-2.0

// Residency: which blocks are where, who uses them, and what moves next.
//
// The decisions of the data layer, without threads, locks, copies or clocks: a Store (store.hpp) calls it under its
// lock, hands the transfers it asks for to a copier, and tells it when they have landed. So a test drives it step by
// step. Ways of a request: add() when the task is spawned; ready() when nothing but data is missing; staged() (the
// caller looks at Steps) when all its blocks are in place; begin() when it runs; finish() at the end. docs/blocks.md
// tells the whole story.
// Each .cpp beside it has one part: homes, admission, fits, placing, in_place, ahead, eviction, describe, tracing.
//
// What cannot hang, and who fails, is argued in docs/protocols/admission.md.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/block.hpp"
#include "data/policy/admit.hpp"
#include "data/replica.hpp"
#include "data/request.hpp"
#include "data/tiers.hpp"
#include "trace/track.hpp"

namespace weir::data {

// What a call makes necessary; the caller does it after releasing its lock, and then forgets it.
struct Steps {
  Transfer* transfers = nullptr;  // to be started, in this order
  Transfer** transfers_end = &transfers;
  Request* staged = nullptr;  // held or failed now: their tasks can run
  Request** staged_end = &staged;
  int lane = 0;  // of the task on whose behalf transfers are started
  std::vector<std::string> warnings;

  Steps() = default;
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  void start(Transfer& transfer) noexcept;
  void stage(Request& request) noexcept;
  bool empty() const noexcept { return transfers == nullptr && staged == nullptr && warnings.empty(); }
};

struct ResidencyCounters {
  std::uint64_t bytes_fetched = 0, bytes_written_back = 0;
  std::uint64_t hits = 0, misses = 0;  // uses of blocks that were, or were not, in place when their task was ready
  std::uint64_t prefetches = 0, evictions = 0, in_place_runs = 0, failures = 0;
};

// A ready task that has not got its blocks.
struct WaitingTask {
  void* task = nullptr;  // as Request::task
  std::string what;      // "2097152 bytes more in tier hbm, of 4194304 that it needs there, for block 'a' and 3 others"
  bool room = false;     // it waits for room; else for transfers
};
// A task that has room in the fast tier.
struct RoomHolder {
  void* task = nullptr;  // as Request::task
  std::size_t bytes = 0;
  std::string what;  // "holds 1572864 bytes of tier hbm: block 'a' and 3 others"
};
struct Waiting {
  std::vector<WaitingTask> tasks;   // in the order of spawning
  std::vector<RoomHolder> holders;  // when some wait for room: those who have most of it, by bytes
};

class Residency {
 public:
  struct Config {
    Strategy strategy = Strategy::ahead;
    Evict evict = Evict::next_use;
    Allocation allocation = Allocation::fast;
    Overflow overflow = Overflow::in_place;
    std::uint32_t depth = 64;  // tasks looked at ahead
    std::uint32_t workers = 1;
  };

  // `tiers` outlives it.
  Residency(TierSet& tiers, const Config& config);
  ~Residency();
  Residency(const Residency&) = delete;
  Residency& operator=(const Residency&) = delete;

  // Where waits and evictions are recorded from now on.
  void set_track(trace::Track* track) noexcept { track_ = track; }

  // ---- Blocks ----
  // Finds a home, and a place at once while blocks are not tracked. Fails with no_space: block, bytes, tiers, remedy.
  base::Status add(Block& block, const Wish& wish = {});
  // No unfinished request names it, no transfer is under way for it.
  void remove(Block& block, Steps& steps);
  static bool in_transfer(const Block& block) noexcept;
  // Adopted, and the newest contents are elsewhere: starts to write them back. False: nothing to do.
  bool flush(Block& block, Steps& steps);

  // From the first block on that does not fit in the fast tier, tasks have to register their requests. Before, blocks
  // have one address for ever, and tasks that use them are only counted (by the caller).
  bool tracked() const noexcept { return tracked_; }
  // Tasks that are not tracked may still use blocks: none of these leaves.
  bool untracked_may_run() const noexcept { return tracked_ && !untracked_blocks_.empty(); }
  // They have all ended.
  void untracked_ended(Steps& steps);
  // Everybody sees that tasks are tracked: what nobody holds can leave.
  void tracking_begun(Steps& steps);
  // A task without a request holds the block no more.
  void hold_ended(Block& block, Steps& steps);

  // ---- Requests ----
  // In the order of spawning.
  void add(Request& request);
  // One block more, of a request that is not ready; the first of them adds the request. `early`: it is brought in at
  // once if nothing has to leave that is needed earlier.
  void add(Request& request, Block& block, Mode mode, bool early, Steps& steps);
  // Of a request that is not ready, or whose task runs: it needs that block no more.
  void release(Request& request, Block& block, Steps& steps);
  // It is not waited for any more. False: it is on its way, and will be staged.
  bool withdraw(Request& request, Steps& steps);
  // The task depends on nothing any more. True: all blocks are in place, held for it. False: it waits, or waits for a
  // transfer; it comes by Steps::staged.
  bool ready(Request& request, Steps& steps);
  // The task has ended, or was cancelled: then its blocks hold what they held before.
  void finish(Request& request, Steps& steps);
  // Its task starts to run, or to wait for an exclusion lock. Any thread, without the lock. False: try_begin() knows.
  bool begin(Request& request) noexcept {
    if (!request.may_begin.exchange(false)) return false;  // ADMIT-1
    queued_.fetch_sub(1, std::memory_order_relaxed);       // an estimate for policies
    return true;
  }
  // Under the lock. False: it lost its room meanwhile, and will be staged again. True: it has begun, or has failed.
  bool try_begin(Request& request) noexcept;

  // Admits what waits as far as there is room; with a strategy that looks ahead also asks for what tasks that are not
  // ready will need. Called by the others here where something has changed.
  void advance(Steps& steps);
  // Nothing runs that could give room back, and nothing is on its way (the caller has made sure): the first task that
  // waits has to do without, in slow memory or in the file's pages. `stuck`: nor will any be begun.
  void break_standstill(bool stuck, Steps& steps);
  // Tasks wait, and no transfer will change that.
  bool waits_for_tasks() const noexcept { return waiting_count_ != 0 && under_way_ == 0; }
  // Some have all they need and have not begun: they are in a queue, or on the way to one.
  bool has_queued() const noexcept { return queued_.load(std::memory_order_relaxed) != 0; }
  // Of them, some whose threads only have to go on.
  bool has_resuming() const noexcept;
  // A transfer has ended.
  void land(Transfer& transfer, const base::Status& status, Steps& steps);

  // ---- What there is ----
  const ResidencyCounters& counters() const noexcept { return counters_; }
  // Tasks that have what they need but data, and tasks that can run.
  std::uint32_t waiting() const noexcept { return waiting_count_ + staging_; }
  // Tasks that run, or whose children do, or that a worker only has to take.
  std::uint32_t running() const noexcept { return held_; }
  // Each task that waits for its blocks, and who has the room.
  Waiting waiting_tasks();
  // The same as lines: its name, what it waits for, the tier and the missing bytes.
  std::vector<std::string> describe_waiting();
  // All there is to know of a standstill: counts, arenas, unfinished tasks and their blocks' replicas.
  std::vector<std::string> describe_state();
  std::uint32_t transfers_under_way() const noexcept { return under_way_; }

 private:
  struct ByKey {
    Evict rule;
    bool operator()(const Replica* a, const Replica* b) const noexcept;
  };
  using Candidates = std::set<Replica*, ByKey>;
  static constexpr policy::Sequence kFirstSequence = policy::Sequence{1} << 40;
  struct ByTurn {
    bool operator()(const Request* a, const Request* b) const noexcept {
      return policy::comes_before({a->depth, a->sequence}, {b->depth, b->sequence});
    }
  };
  using Lane = std::set<Request*, ByTurn>;
  struct Place {  // what is kept of one arena beside what it counts itself
    Candidates leaving_order;
    std::size_t candidate_bytes = 0;
    std::size_t leaving_bytes = 0;  // being written back to make room
    std::size_t permanent = 0;      // homes that tasks use in place
    std::size_t owed = 0;           // advance_in_order(): what earlier tasks wait for
    const Replica* hole = nullptr;  // being written back: where it lies there will be a hole as large as wanted
  };

  enum class Room : std::uint8_t { made, coming, none };

  // Homes (homes.cpp).
  base::Status place_untracked(Block& block, const Wish& wish, bool& placed);
  Arena& first_choice(const Block& block, const Wish& wish) noexcept;
  int wished_tier(const Wish& wish) const noexcept;
  bool settle_as_wished(Block& block, const Wish& wish);
  bool settle_for_ever(Block& block, const Wish& wish);
  bool settle_nearest(Block& block, const Tier& tier);
  std::vector<Block*>& list_of(const Block& block) noexcept {
    return block.counts_holds ? counted_ : untracked_blocks_;
  }
  void enlist(Block& block);
  void strike_off(Block& block) noexcept;
  static bool is_held(const Block& block) noexcept;
  base::Status find_home(Block& block, const Wish& wish);
  bool keep_room(Block& block, const Tier& tier);
  bool settle_in(Block& block, Arena& arena);
  static bool make_home(Block& block, Arena& arena) noexcept;
  base::Status give_home_a_place(Block& block);
  base::Status map_home(Block& block);
  void unmap_home(Block& block) noexcept;
  void release_home(Block& block) noexcept;
  base::Status no_room(const Block& block) const;
  Arena& default_arena(int domain) noexcept;

  // Who gets room, and in which order (admission.cpp).
  enum class Admission : std::uint8_t { held, staging, later };
  void link(Request& request);
  void enqueue(Use& use);
  void unlink(Use& use) noexcept;
  void enqueue(Request& request);
  void dequeue(Request& request) noexcept;
  Lane& lane_of(const Request& request) noexcept;
  static bool is_urgent(const Request& request) noexcept { return request.running || request.parent != nullptr; }
  // The strategy that looks ahead, and so follows the order of spawning.
  bool in_order() const noexcept { return config_.strategy == Strategy::ahead; }
  bool may_try(const Request& request) const noexcept;
  // Of what is free there, or becomes free, it has to leave so much to those before it.
  std::size_t owed_before(const Request& request, const Arena& arena) noexcept {
    return is_urgent(request) ? 0 : place(arena).owed;
  }
  policy::Newcomer newcomer(const Request& request) const noexcept;
  bool queue_behind_others(Request& request, Steps& steps);
  Admission admit(Request& request, Steps& steps);
  bool admit_waiting(Request& request, Steps& steps);
  bool revoke_one(bool stuck);
  void advance_urgent(bool stuck, Steps& steps);
  void advance_others(const Lane& lane, Steps& steps);
  Request* first_waiting() noexcept;

  // What a task needs, and which node can give it (fits.cpp).
  std::size_t can_give(const Arena& arena) noexcept;
  Arena& target_of(const Request& request, std::size_t missing) noexcept;
  std::size_t fast_bytes(Request& request) noexcept;
  static bool is_kept(const Request& request, const Block& block) noexcept;
  static std::size_t kept_around(const Request& request, const Arena* arena) noexcept;
  std::size_t wanted_bytes(Request& request) noexcept;
  std::size_t room_for(const Request& request, const Arena& arena) noexcept;
  bool never_fits(Request& request) noexcept;
  bool needs_several_nodes(Request& request) noexcept;
  template <class Which, class RoomOf>
  bool plan_over_nodes(Request& request, Which which, RoomOf room_of);
  std::size_t room_soon(const Request& request, const Arena& arena, const policy::Demand& demand) noexcept;
  Room place_over_nodes(Request& request, const policy::Demand& demand, Steps& steps);
  bool lies_in_its_own_way(Request& request, const policy::Demand& demand);

  // Its blocks in their places, pinned (placing.cpp).
  Admission try_admit(Request& request, Steps& steps);
  policy::Demand demand_of(const Request& request) const noexcept;
  bool place_missing(Request& request, Arena& target, std::size_t missing, Steps& steps);
  bool is_missing(const Use& use) const noexcept;
  bool fill_missing(Request& request, Arena& target, Steps& steps);
  static std::size_t hole_for(const Use& use) noexcept;
  bool gather_room(Request& request, Steps& steps);
  void set_scattered(Request& request, bool scattered) noexcept;
  bool reuse(const Replica& replica, const Use& use, const Arena& target) const noexcept;
  enum class Reuse : std::uint8_t { good, any };  // replicas: beside the workers, where that is asked for; all
  bool take_place(Use& use, Arena& target, Reuse which);
  void pin_home(Use& use) noexcept;
  void pin(Use& use, Replica& replica) noexcept;
  void note_used(Request& request) noexcept;
  void leave_place(Use& use) noexcept;
  void hold(Request& request);
  bool is_emulated(int tier) const noexcept;
  void publish(Use& use) noexcept;
  void forget_other_replicas(Block& block, const Replica* keep) noexcept;

  // Those that cannot have their room (in_place.cpp).
  bool can_run_in_place(Request& request, bool never) noexcept;
  void overflow(Request& request, Steps& steps);
  base::Status refusal(Request& request, bool never);
  void warn_of_place(Request& request, bool in_file, std::size_t bytes, Steps& steps);
  void run_in_place(Request& request, Steps& steps);
  void fail(Request& request, base::Status status, Steps& steps);

  // In words (describe.cpp).
  RoomHolder describe_holder(Request& request);
  std::string describe_room(Request& request);
  std::string describe_staging(Request& request);

  // Looking ahead (ahead.cpp).
  static bool has_yet_to_begin(const Request& request) noexcept;
  policy::Sequence first_to_begin(const Request& request) const noexcept;
  bool wants_more() const noexcept;
  void advance_in_order(Steps& steps);
  bool prefetch(Request& request, policy::Ahead& ahead, policy::Sequence now, Steps& steps);
  void bring_early(Use& use, Steps& steps);
  void advance_early(Steps& steps);
  void forget_early(Use& use) noexcept;
  bool start_early(Use& use, Arena& target, const policy::Later& later, Steps& steps);
  bool can_come_early(const Use& use) const noexcept;

  // Replicas, room and transfers (eviction.cpp).
  Replica* new_replica(Block& block, Arena& arena, std::uint64_t offset) noexcept;
  void drop(Replica& replica) noexcept;
  void discard(Replica& replica) noexcept;
  static void set_address(Block& block) noexcept;
  static bool is_draining(const Block& block) noexcept;
  void update_candidate(Replica& replica) noexcept;
  void withdraw_candidate(Replica& replica) noexcept;
  bool evict(Replica& victim, Steps& steps);
  void evict_unneeded(Block& block, Steps& steps);
  template <class MayLeave>
  Room make_hole(Arena& arena, std::size_t bytes, MayLeave may_leave, int most, Steps& steps);
  Room make_hole(Arena& arena, std::size_t bytes, Steps& steps);
  Room make_hole_for_later(Arena& arena, std::size_t bytes, const policy::Later& later, Steps& steps);
  std::size_t displaceable(Place& p, const policy::Demand& demand) const noexcept;
  template <class MayLeave>
  bool make_leave(Place& p, std::size_t bytes, MayLeave may_leave, Steps& steps);
  Room make_room(Arena& arena, std::size_t bytes, const policy::Demand& demand, Steps& steps);
  bool make_room_for_later(Arena& arena, std::size_t bytes, const policy::Later& later, Steps& steps);
  void start_fetch(Replica& replica, bool ahead, Steps& steps);
  bool start_write_back(Replica& replica, bool leaving, Steps& steps);
  void set_write_failed(Replica& replica, const base::Status& status);
  void try_writing_again() noexcept;
  void landed_fetch(Replica& replica, const base::Status& status, Steps& steps);
  void landed_write_back(Replica& replica, const base::Status& status, Steps& steps);
  void wake_landing(Replica& replica, const base::Status& status, Steps& steps);

  Place& place(const Arena& arena) noexcept { return places_[static_cast<std::size_t>(arena.index())]; }

  // Tracing (tracing.cpp); only with a track.
  void record_wait_end(Request& request) noexcept;
  void record_staging(Request& request) noexcept;
  void record_eviction(const Replica& replica) noexcept;

  TierSet& tiers_;
  const Config config_;
  std::size_t top_;  // the tier that blocks are brought to
  bool has_file_ = false;
  bool tracked_ = false;
  std::vector<Block*> untracked_blocks_;
  std::vector<Block*> counted_;       // made before tasks were tracked, with counts_holds
  std::vector<Place> places_;         // by arena
  std::vector<std::uint64_t> homed_;  // bytes of homes, by tier
  std::vector<Lane> lanes_;
  Lane urgent_;  // of tasks that run, or were made inside of such as hold room: all others wait for these
  std::uint32_t waiting_count_ = 0, scattered_ = 0, staging_ = 0, held_ = 0, under_way_ = 0;
  std::atomic<std::uint32_t> queued_{0};  // held, not begun
  std::size_t next_lane_ = 0;
  std::uint32_t early_wanted_ = 0;  // uses that are `early`
  std::size_t early_bytes_ = 0;     // of replicas brought in for tasks that were not admitted, not used yet
  bool standstill_ = false;
  bool warned_in_file_ = false;
  base::Status last_write_failure_;  // why something could not leave
  std::vector<Replica*> unwritable_;
  std::uint64_t tick_ = 0;
  policy::Sequence sequence_ = kFirstSequence;
  policy::Sequence running_sequence_ = 0;  // of tasks that run already
  Request* first_ = nullptr;               // unfinished requests
  Request* last_ = nullptr;
  Replica* free_replicas_ = nullptr;
  std::vector<std::unique_ptr<Replica[]>> replica_pool_;
  ResidencyCounters counters_;
  trace::Track* track_ = nullptr;
};

}  // namespace weir::data
