// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/active_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "shmem/group/groups.hpp"
#include "shmem/group/world_reach.hpp"
#include "shmem/observe/check_board.hpp"
#include "shmem/world/address.hpp"
#include "shmem/world/in_library.hpp"
#include "shmem/world/waiting.hpp"

namespace weir::shmem {
namespace {

struct Key {
  std::uint64_t shape = 0, psync = 0;
  friend auto operator<=>(const Key&, const Key&) = default;
};

struct Made {
  Group group;
  AreaPool::Taken area;
};

struct Sets {
  std::mutex mutex;
  std::map<Key, std::unique_ptr<Made>> made;
};
Sets& sets() {
  static auto* const kept = new Sets;
  return *kept;
}

// Sets that a thread has used, as long as no groups were closed since: programs take turns with a few pSync arrays.
std::atomic<std::uint64_t> closings{0};
struct Used {
  ActiveSet set;
  std::uint64_t closings = 0;
  Group* group = nullptr;
};
constexpr std::size_t kUsed = 16;
thread_local constinit Used used[kUsed];

Used& place_of(const ActiveSet& set) noexcept {
  const auto mix = reinterpret_cast<std::uintptr_t>(set.psync) / sizeof(long) +
                   static_cast<std::uintptr_t>(set.start) * 7 + static_cast<unsigned>(set.size);
  return used[(mix * 0x9E3779B97F4A7C15U) >> 60];
}
static_assert(kUsed == 16);

std::vector<int> members_of(const ActiveSet& set) {
  std::vector<int> pes;
  pes.reserve(static_cast<std::size_t>(std::max(set.size, 0)));
  for (int i = 0; i < set.size; ++i) pes.push_back(set.start + (i << set.log_stride));
  return pes;
}

unsigned checked_me(const ActiveSet& set) {
  const World& w = world();
  const bool is_shape = set.start >= 0 && set.size >= 1 && set.log_stride >= 0 && set.log_stride < 31;
  const long stride = is_shape ? 1L << set.log_stride : 1;
  if (!is_shape || set.start + (set.size - 1) * stride >= w.n_pes) {
    fail(fmt::format(
        "PE_start {}, logPE_stride {} and PE_size {} name PEs that there are not: there are {}, from 0 to {}",
        set.start, set.log_stride, set.size, w.n_pes, w.n_pes - 1));
  }
  const long distance = w.my_pe - set.start;
  if (distance < 0 || distance % stride != 0 || distance / stride >= set.size) {
    fail(fmt::format("PE {} is not in the active set that it names: PE_start {}, logPE_stride {}, PE_size {}", w.my_pe,
                     set.start, set.log_stride, set.size));
  }
  return static_cast<unsigned>(distance / stride);
}

Key key_of(const ActiveSet& set) {
  const std::optional<transport::Location> psync = locate(set.psync, world().my_pe);
  if (!psync) {
    fail(fmt::format("pSync {} is not symmetric: use memory of shmem_malloc, or a global or static array",
                     fmt::ptr(set.psync)));
  }
  const auto field = [](auto value, int shift) { return static_cast<std::uint64_t>(value) << shift; };
  return {field(set.start, 32) | field(set.log_stride, 26) | field(set.size, 0),
          field(psync->region, 48) | psync->offset};
}

// Where this PE's list of sets says which area serves the set. Under the lock.
AreaPool::Taken note(const Key& key) {
  Groups& all = *groups();
  const std::optional<AreaPool::Taken> area = all.pool.take();
  SetList& list = *all.sets;
  const std::uint64_t count = list.count.load(std::memory_order_relaxed);  // SETS-1: only this PE writes it, locked
  if (!area || count == kAreas) {
    fail(
        fmt::format("{} teams and active sets are in use, and that is how many there can be: destroy teams, and use "
                    "the same few pSync arrays again",
                    kAreas));
  }
  list.entries[count] = {key.shape, key.psync, area->number, area->last_step};
  list.count.store(count + 1, std::memory_order_release);  // SETS-1: publishes the entry
  return *area;
}

// Reads another PE's list as it grows, until the set is in it.
class Search {
 public:
  Search(Reach& reach, int pe) : reach_(reach), pe_(pe) {}

  AreaPool::Taken find(const Key& key) {
    SetList* const mine = groups()->sets;
    std::uint64_t looked_at = 0;
    for (Waiting waiting;;) {
      const std::uint64_t count = read_count(mine->count);
      for (; looked_at < count; ++looked_at) {
        const SetEntry entry = read_entry(mine->entries[looked_at]);
        if (entry.shape == key.shape && entry.psync == key.psync) return {entry.area, entry.last_step};
      }
      if (world().is_checked) {
        wait_for({pe_, &mine->count, count + 1});
      } else {
        waiting.pause({.kind = Awaited::Kind::pe, .pe = pe_});
      }
    }
  }

 private:
  std::uint64_t read_count(const std::atomic<std::uint64_t>& count) {
    if (const std::byte* const there = reach_.mapped(&count, pe_); there != nullptr)
      return reinterpret_cast<const std::atomic<std::uint64_t>*>(there)->load(std::memory_order_acquire);  // SETS-1
    std::uint64_t value = 0;
    reach_.get_nbi(&value, &count, sizeof(value), pe_);
    reach_.quiet();
    return value;
  }
  SetEntry read_entry(const SetEntry& entry) {
    if (const std::byte* const there = reach_.mapped(&entry, pe_); there != nullptr)
      return *reinterpret_cast<const SetEntry*>(there);
    SetEntry value;
    reach_.get_nbi(&value, &entry, sizeof(value), pe_);
    reach_.quiet();
    return value;
  }

  Reach& reach_;
  int pe_;
};

// Without the lock: other threads may wait for other sets meanwhile.
std::unique_ptr<Made> make(const ActiveSet& set, const Key& key, const AreaPool::Taken& area) {
  const unsigned me = checked_me(set);
  const std::vector<int> pes = members_of(set);
  std::vector<std::size_t> numbers;
  Step first_step = 0;
  WorldReach reach;
  for (const int pe : pes) {
    const AreaPool::Taken theirs = pe == world().my_pe ? area : Search(reach, pe).find(key);
    numbers.push_back(theirs.number);
    first_step = std::max(first_step, theirs.last_step);
  }
  return std::unique_ptr<Made>(new Made{Group(setting_of(pes, numbers, me, first_step)), area});
}

Group& find_or_make(const ActiveSet& set) {
  const InLibrary inside;
  if (groups() == nullptr) fail_not_started();
  checked_me(set);
  const Key key = key_of(set);
  Sets& all = sets();
  AreaPool::Taken area;
  {
    const std::lock_guard lock(all.mutex);
    if (const auto found = all.made.find(key); found != all.made.end()) return found->second->group;
    area = note(key);
  }
  std::unique_ptr<Made> made = make(set, key, area);
  const std::lock_guard lock(all.mutex);
  return all.made.emplace(key, std::move(made)).first->second->group;
}

}  // namespace

Group& group_of(const ActiveSet& set) {
  const std::uint64_t now = closings.load(std::memory_order_relaxed);  // SETS-2: collectives do not run during a close
  Used& place = place_of(set);
  const bool is_there = place.group != nullptr && place.closings == now && place.set.psync == set.psync &&
                        place.set.start == set.start && place.set.log_stride == set.log_stride &&
                        place.set.size == set.size;
  if (!is_there) [[unlikely]]
    place = {set, now, &find_or_make(set)};
  return *place.group;
}

void close_active_sets() {
  closings.fetch_add(1);
  sets().made.clear();
}

}  // namespace weir::shmem
