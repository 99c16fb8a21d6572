// SPDX-License-Identifier: Apache-2.0

#include "shmem/group/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>

#include "shmem/group/collective.hpp"
#include "shmem/group/exchange.hpp"
#include "shmem/group/groups.hpp"
#include "shmem/rma/context.hpp"
#include "shmem/world/address.hpp"
#include "shmem/world/in_library.hpp"

namespace weir::shmem {
namespace {

constexpr std::uint64_t kNoArea = UINT64_MAX;

// Those that the program has made and not destroyed.
struct Teams {
  std::mutex mutex;
  std::vector<std::unique_ptr<Team>> all;
  std::array<std::unique_ptr<Team>, 16> destroyed;  // the last ones
  std::size_t next_destroyed = 0;
};
Teams& teams() {
  static auto* const kept = new Teams;
  return *kept;
}

Team* keep(std::unique_ptr<Team> made) {
  const std::lock_guard lock(teams().mutex);
  return teams().all.emplace_back(std::move(made)).get();
}

std::unique_ptr<Team> give_up(const Team* team) {
  const std::lock_guard lock(teams().mutex);
  auto& all = teams().all;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.get() == team; });
  if (found == all.end()) fail(fmt::format("{} is no team: it was destroyed before, or never made", fmt::ptr(team)));
  std::unique_ptr<Team> ended = std::move(*found);
  all.erase(found);
  return ended;
}

void keep_destroyed(std::unique_ptr<Team> team) {
  team->is_destroyed = true;
  Teams& kept = teams();
  const std::lock_guard lock(kept.mutex);
  kept.destroyed[kept.next_destroyed++ % kept.destroyed.size()] = std::move(team);
}

// Of which member of the parent a new team's members are; this PE is members[me], or not among them.
struct Plan {
  std::vector<unsigned> members;
  std::optional<unsigned> me;
  TeamConfig config;
};

bool is_sound(const ConfigIn& config) {
  if ((config.mask & ~kTeamNumContexts) != 0) return false;
  return config.mask == 0 || (config.config != nullptr && config.config->num_contexts >= 0);
}

// The area that this PE has taken for a new team, and what all members of the parent say of theirs.
struct Offers {
  std::optional<AreaPool::Taken> own;
  std::vector<WordPair> said;

  bool has(unsigned member) const noexcept { return said[member].first != kNoArea; }
};

// Each member takes an area, and says which. Collective over the parent.
Offers offer_areas(Team& parent, const Plan& plan, bool is_wanted) {
  Offers offers;
  if (plan.me && is_wanted) offers.own = groups()->pool.take();
  offers.said = exchange_words(parent.group,
                               offers.own ? WordPair{offers.own->number, offers.own->last_step} : WordPair{kNoArea, 0});
  sync(parent.group);  // the words have been read
  return offers;
}

void give_back(const Offers& offers) {
  if (offers.own) groups()->pool.give_back(*offers.own);
}

// Null where this PE is no member. All members have an area.
Team* make_team(const Team& parent, const Plan& plan, const Offers& offers) {
  if (!plan.me) return nullptr;
  std::vector<int> pes;
  std::vector<std::size_t> numbers;
  Step first_step = 0;
  for (const unsigned member : plan.members) {
    pes.push_back(parent.group.pe(member));
    numbers.push_back(offers.said[member].first);
    first_step = std::max(first_step, offers.said[member].second);
  }
  return keep(std::make_unique<Team>(setting_of(pes, numbers, *plan.me, first_step), plan.config, *offers.own));
}

Plan plan_of(const Team& parent, const Triplet& triplet, const ConfigIn& config) {
  Plan plan;
  for (int i = 0; i < triplet.size; ++i) {
    const auto member = static_cast<unsigned>(triplet.start + i * triplet.stride);
    if (member == parent.group.me()) plan.me = static_cast<unsigned>(i);
    plan.members.push_back(member);
  }
  if (is_sound(config) && config.mask != 0) plan.config = *config.config;
  return plan;
}

bool is_within(const Triplet& triplet, unsigned parent_size) {
  const auto limit = static_cast<long>(parent_size);
  if (triplet.size < 1 || (triplet.stride == 0 && triplet.size != 1)) return false;
  const long first = triplet.start, last = first + static_cast<long>(triplet.size - 1) * triplet.stride;
  return first >= 0 && first < limit && last >= 0 && last < limit;
}

bool is_predefined(const Team* team) { return team == &world_team() || team == &shared_team(); }

}  // namespace

int split_strided(Team* parent, const Triplet& triplet, const ConfigIn& config, Team** made) {
  const InLibrary inside;
  *made = nullptr;
  if (parent == nullptr || !is_within(triplet, parent->group.size())) return 1;
  const Meeting meeting(parent->group.gathering(), trace::PeMeet::team, 0);
  const Plan plan = plan_of(*parent, triplet, config);
  const Offers offers = offer_areas(*parent, plan, is_sound(config));
  if (!std::all_of(plan.members.begin(), plan.members.end(), [&](unsigned member) { return offers.has(member); })) {
    give_back(offers);
    return 1;
  }
  *made = make_team(*parent, plan, offers);
  return 0;
}

int split_2d(Team* parent, int xrange, const ConfigIn& x_config, Team** x_team, const ConfigIn& y_config,
             Team** y_team) {
  const InLibrary inside;
  *x_team = *y_team = nullptr;
  if (parent == nullptr || xrange < 1) return 1;
  const Meeting meeting(parent->group.gathering(), trace::PeMeet::team, 0);
  const int all = static_cast<int>(parent->group.size()), me = static_cast<int>(parent->group.me());
  const int width = std::min(xrange, all), x = me % width, y = me / width;
  const Triplet row{y * width, 1, std::min(width, all - y * width)};
  const Triplet column{x, width, (all - x + width - 1) / width};
  const Plan in_row = plan_of(*parent, row, x_config), in_column = plan_of(*parent, column, y_config);
  const Offers for_row = offer_areas(*parent, in_row, is_sound(x_config));
  const Offers for_column = offer_areas(*parent, in_column, is_sound(y_config));
  // Every member of the parent is in a row and in a column: all teams are made, or none is.
  for (unsigned member = 0; member < parent->group.size(); ++member) {
    if (for_row.has(member) && for_column.has(member)) continue;
    give_back(for_row);
    give_back(for_column);
    return 1;
  }
  *x_team = make_team(*parent, in_row, for_row);
  *y_team = make_team(*parent, in_column, for_column);
  return 0;
}

void destroy(Team* team) {
  const InLibrary inside;
  if (team == nullptr) return;
  if (is_predefined(team)) fail("a predefined team cannot be destroyed: SHMEM_TEAM_WORLD and SHMEM_TEAM_SHARED stay");
  std::unique_ptr<Team> ended = give_up(team);
  const Meeting meeting(ended->group.gathering(), trace::PeMeet::team, 0);
  destroy_contexts_of(team);
  sync(ended->group);
  groups()->pool.give_back({ended->area.number, ended->group.last_step()});
  keep_destroyed(std::move(ended));
}

void fail_destroyed(const Team* team) noexcept {
  fail(fmt::format("{} is no team: it was destroyed before, or never made", fmt::ptr(team)));
}

bool is_team(const Team* team) {
  if (is_predefined(team)) return true;
  const std::lock_guard lock(teams().mutex);
  const auto& all = teams().all;
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.get() == team; });
}

std::vector<int> team_sizes_left() {
  std::vector<int> sizes;
  const std::lock_guard lock(teams().mutex);
  for (const auto& team : teams().all) sizes.push_back(n_pes(team.get()));
  return sizes;
}

void close_teams() {
  const std::lock_guard lock(teams().mutex);
  teams().all.clear();
  for (std::unique_ptr<Team>& team : teams().destroyed) team.reset();
}

int my_pe(const Team* team) noexcept { return team == nullptr ? -1 : static_cast<int>(team->group.me()); }

int n_pes(const Team* team) noexcept { return team == nullptr ? -1 : static_cast<int>(team->group.size()); }

int translate_pe(const Team* from, int pe, const Team* to) noexcept {
  if (from == nullptr || to == nullptr || pe < 0 || pe >= n_pes(from)) return -1;
  const std::optional<unsigned> member = to->group.member_of(from->group.pe(static_cast<unsigned>(pe)));
  return member ? static_cast<int>(*member) : -1;
}

int get_config(const Team* team, long mask, TeamConfig* config) noexcept {
  if (team == nullptr || (mask & ~kTeamNumContexts) != 0) return 1;
  if (mask == 0) return 0;
  if (config == nullptr) return 1;
  config->num_contexts = team->config.num_contexts;
  return 0;
}

void* team_ptr(const Team* team, const void* symmetric, int pe) noexcept {
  if (team == nullptr || pe < 0 || pe >= n_pes(team)) return nullptr;
  return try_mapped(symmetric, team->group.pe(static_cast<unsigned>(pe)));
}

}  // namespace weir::shmem
