// SPDX-License-Identifier: Apache-2.0

// Teams, active sets and collectives among real processes: one PE, as whoever has started it says.
//
// group_pes TEST [SEED]: random, teams, sets, threads, many, again, lost. 0 when this PE has seen nothing wrong.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include "shmem/group/open.hpp"
#include "shmem/heap/heap.hpp"
#include "shmem/start/start.hpp"
#include "shmem/world/world.hpp"
#include "unit/shmem/group/model.hpp"

namespace {

using namespace weir::shmem;  // NOLINT(google-build-using-namespace)
using test::act;
using test::Action;
using test::any_action;
using test::kBuffer;

void need(bool is_right, const std::string& what) {
  if (is_right) return;
  std::fprintf(stderr, "PE %d of %d: %s\n", world().my_pe, world().n_pes, what.c_str());
  global_exit(1);
}

struct Company {
  Group* group = nullptr;  // null: this PE is not in it
  std::vector<int> pes;
};

std::vector<int> pes_of(const Group& group) {
  std::vector<int> pes;
  for (unsigned i = 0; i < group.size(); ++i) pes.push_back(group.pe(i));
  return pes;
}

Company strided(Team& parent, const Triplet& triplet) {
  Team* team = nullptr;
  need(split_strided(&parent, triplet, {}, &team) == 0, "a team cannot be made");
  Company company{team == nullptr ? nullptr : &team->group, {}};
  for (int i = 0; i < triplet.size; ++i) company.pes.push_back(triplet.start + i * triplet.stride);
  return company;
}

Company set_of(int start, int log_stride, int size, const long* psync) {
  Company company;
  for (int i = 0; i < size; ++i) company.pes.push_back(start + (i << log_stride));
  if (std::find(company.pes.begin(), company.pes.end(), world().my_pe) != company.pes.end())
    company.group = &group_of({start, log_stride, size, psync});
  return company;
}

long psync[3][8];  // static, and the same number on all PEs

std::vector<Company> companies() {
  const int n = world().n_pes;
  std::vector<Company> all{{&world_team().group, pes_of(world_team().group)}};
  all.push_back(strided(world_team(), {0, 2, (n + 1) / 2}));
  all.push_back(strided(world_team(), {n - 1, -1, n}));
  all.push_back(strided(world_team(), {n / 2, 1, n - n / 2}));
  all.push_back(set_of(0, 0, n, psync[0]));
  all.push_back(set_of(n > 1 ? 1 : 0, 1, n > 1 ? n / 2 : 1, psync[1]));
  return all;
}

void test_random(unsigned seed) {
  auto* const heap = static_cast<std::byte*>(allocate(2 * kBuffer));
  std::mt19937 random(seed);
  const std::vector<Company> all = companies();
  std::vector<std::vector<int>> groups;
  for (const Company& company : all) groups.push_back(company.pes);
  for (int i = 0; i < 60; ++i) {
    const Action action = any_action(random, groups);
    const Company& company = all[action.group];
    if (company.group == nullptr) continue;
    const std::string wrong = act(*company.group, company.pes, action, heap);
    need(wrong.empty(), wrong + ", seed " + std::to_string(seed));
  }
}

void test_teams() {
  Team& all = world_team();
  const int n = n_pes(&all), me = my_pe(&all);
  Team* team = &all;
  need(split_strided(&all, {0, 1, n + 1}, {}, &team) != 0 && team == nullptr, "a team with more PEs than its parent");
  need(split_strided(&all, {0, 0, 2}, {}, &team) != 0, "a team with one PE twice");
  need(split_strided(&all, {0, 1, 0}, {}, &team) != 0, "a team without a PE");
  need(split_strided(&all, {0, -1, 2}, {}, &team) != 0, "a team with PE -1");
  need(split_strided(&all, {0, 1, n}, {nullptr, 8}, &team) != 0 && team == nullptr, "an unknown bit");
  need(split_strided(nullptr, {0, 1, 1}, {}, &team) != 0 && team == nullptr, "a team without a parent");
  const TeamConfig config{7};
  need(split_strided(&all, {n - 1, -1, n}, {&config, kTeamNumContexts}, &team) == 0 && my_pe(team) == n - 1 - me,
       "the PEs in reverse order");
  need(
      translate_pe(team, 0, &all) == n - 1 && translate_pe(&all, n, team) == -1 && translate_pe(&all, 0, nullptr) == -1,
      "translation");
  TeamConfig found;
  need(get_config(team, kTeamNumContexts, &found) == 0 && found.num_contexts == 7, "the configuration");
  Team* evens = nullptr;
  need(split_strided(team, {0, 2, (n + 1) / 2}, {}, &evens) == 0, "a team of a team");
  need((evens == nullptr) == ((n - 1 - me) % 2 != 0), "who is in it");
  need(translate_pe(&all, n - 1, evens) == (evens == nullptr ? -1 : 0), "translation to a part");
  destroy(evens);
  destroy(team);
  destroy(nullptr);
  for (int xrange = 1; xrange <= n + 1; ++xrange) {
    Team *x = nullptr, *y = nullptr;
    need(split_2d(&all, xrange, {}, &x, {}, &y) == 0, "a grid");
    need(my_pe(x) == me % xrange && my_pe(y) == me / xrange, "the place in a grid");
    need(n_pes(x) == std::min(xrange, n - me / xrange * xrange), "the length of a row");
    need(n_pes(y) == (n - me % xrange + xrange - 1) / xrange, "the length of a column");
    long* const sum = static_cast<long*>(allocate(2 * sizeof(long)));
    sum[1] = my_pe(x);
    reduce(x->group, {sum, sum + 1, 1, Op::sum, kTypeOf<long>});
    need(sum[0] == n_pes(x) * (n_pes(x) - 1) / 2, "the sum of a row");
    destroy(x);
    destroy(y);
    release(sum);
  }
  Team *x = &all, *y = &all;
  need(split_2d(&all, 0, {}, &x, {}, &y) != 0 && x == nullptr && y == nullptr, "a grid without a column");
}

// Sets that overlap, at different times on different PEs, with a pSync each.
void test_sets() {
  const int n = world().n_pes, me = world().my_pe;
  long* const value = static_cast<long*>(allocate(64 * sizeof(long)));
  for (int round = 0; round < 50; ++round) {
    for (int start = 0; start + 1 < n; ++start) {
      if (me != start && me != start + 1) continue;
      Group& pair = group_of({start, 0, 2, psync[(start + round) % 2]});
      value[0] = round * 100 + me;
      broadcast(pair, {value + 1, value, sizeof(long), static_cast<unsigned>(round % 2), false});
      if (me - start != round % 2)
        need(value[1] == round * 100 + start + round % 2, "a broadcast to a neighbour is not what it sent");
      barrier(pair);
    }
  }
  for (const auto& array : psync) {
    for (const long word : array) need(word == 0, "a pSync was written");
  }
}

// More teams than there is room for at one time, one after the other; then until there is no room.
void test_many() {
  Team& all = world_team();
  const int n = n_pes(&all);
  for (int i = 0; i < 1200; ++i) {
    Team* team = nullptr;
    need(split_strided(&all, {i % n, 1, n - i % n}, {}, &team) == 0, "a team after many");
    if (team != nullptr) sync(team->group);
    destroy(team);
  }
  std::vector<Team*> made;
  for (Team* team = nullptr; split_strided(&all, {0, 1, n}, {}, &team) == 0;) made.push_back(team);
  need(made.size() == 1024 - 2, "room for " + std::to_string(made.size()) + " teams");
  for (Team* const team : made) destroy(team);
}

void test_threads(unsigned seed) {
  constexpr std::size_t kThreads = 3;
  std::vector<Company> all;
  std::vector<std::byte*> heaps;
  for (std::size_t i = 0; i < kThreads; ++i) {
    const int n = world().n_pes;
    all.push_back(i == 0 ? strided(world_team(), {n - 1, -1, n})
                         : strided(world_team(), {0, 1, n - static_cast<int>(i) / 2}));
    heaps.push_back(static_cast<std::byte*>(allocate(2 * kBuffer)));
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      std::mt19937 random(seed + static_cast<unsigned>(i));
      Group* const set = world().n_pes > 1 ? &group_of({0, 0, world().n_pes, psync[i]}) : all[i].group;
      for (int k = 0; k < 40; ++k) {
        const Action action = any_action(random, {all[i].pes});
        if (all[i].group != nullptr) {
          const std::string wrong = act(*all[i].group, all[i].pes, action, heaps[i]);
          need(wrong.empty(), wrong + ", seed " + std::to_string(seed));
        }
        sync(*set);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The others are to end, and to name it.
void test_lost() {
  Group& all = world_team().group;
  for (int i = 0; i < 100; ++i) sync(all);
  if (world().my_pe == world().n_pes - 1) std::raise(SIGKILL);
  for (;;) sync(all);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const auto seed = static_cast<unsigned>(argc > 2 ? std::atoi(argv[2]) : 1);
  start(ThreadLevel::multiple);
  if (name == "random") {
    test_random(seed);
  } else if (name == "teams") {
    test_teams();
  } else if (name == "sets") {
    test_sets();
  } else if (name == "threads") {
    test_threads(seed);
  } else if (name == "many") {
    test_many();
  } else if (name == "again") {
    for (int round = 0; round < 2; ++round) {
      test_sets();
      test_teams();
      companies();  // teams that nobody destroys
      finish();
      start(ThreadLevel::multiple);
    }
    test_sets();
  } else if (name == "lost") {
    test_lost();
  } else {
    need(false, "usage: group_pes random|teams|sets|threads|many|again|lost [SEED]");
  }
  finish();
  return 0;
}
