// SPDX-License-Identifier: Apache-2.0

// Collectives of OpenSHMEM's groups (docs/protocols/shmem-collectives.md): threads that play PEs, on nodes at random,
// in groups that overlap and whose areas are used again; against the serial model.
#include <memory>

#include "stress.hpp"
#include "unit/shmem/group/model.hpp"
#include "unit/shmem/group/play.hpp"

namespace {

using weir::shmem::Group;
using weir::shmem::Op;
using weir::shmem::Step;
using weir::shmem::Type;
using weir::shmem::test::Action;
using weir::shmem::test::all_of;
using weir::shmem::test::any_action;
using weir::shmem::test::kBuffer;
using weir::shmem::test::Pe;
using weir::shmem::test::Stage;
using weir::stress::Stress;

Stage any_stage(Stress& stress) {
  Stage stage = weir::shmem::test::one_node(1 + static_cast<int>(stress.below(10)), stress.below(2) == 0);
  const unsigned nodes = stress.below(2) == 0 ? 1 : 1 + stress.below(4);
  for (int& node : stage.nodes) node = static_cast<int>(stress.below(nodes));
  stage.bytes = Pe::kAreas * weir::shmem::kAreaBytes + 2 * kBuffer;
  return stage;
}

// One word after the other, without a pause: who is ahead, and how far, is left to chance.
void run_ahead(Stress& stress, const Stage& stage, Pe& pe) {
  const auto group = pe.group(all_of(stage), 0);
  auto* const value = reinterpret_cast<long*>(pe.heap());
  const long all = stage.pes();
  for (long round = 0; round < 100; ++round) {
    if (pe.me() == 0) stress.doing("running ahead, round", round);
    const auto root = static_cast<unsigned>(round / 20 % all);
    value[0] = round + pe.me();
    broadcast(*group, {value + 1, value, sizeof(long), root, true});
    stress.check(value[1] == round + root, "a broadcast word is not the root's");
    if (round % 7 == 0) {
      reduce(*group, {value + 1, value, 1, Op::sum, Type::i64});
      stress.check(value[1] == round * all + all * (all - 1) / 2, "a sum is wrong");
    }
    if (round % 11 == 0) {
      inclusive_scan(*group, {value + 1, value, 1, Op::sum, Type::i64});
      stress.check(value[1] == (round * 2 + pe.me()) * (pe.me() + 1) / 2, "a prefix sum is wrong");
    }
  }
}

// Groups that are made one after the other of the same areas, as teams are.
void use_areas_again(Stress& stress, const Stage& stage, Pe& pe) {
  auto* const value = reinterpret_cast<int*>(pe.heap());
  Step step = 0;
  for (int round = 0; round < 30; ++round) {
    if (pe.me() == 0) stress.doing("using areas again, round", round);
    const auto group = pe.group(all_of(stage), 0, step);
    value[0] = round + pe.me();
    broadcast(*group, {value + 1, value, sizeof(int), static_cast<unsigned>(round % stage.pes()), true});
    stress.check(value[1] == round + round % stage.pes(), "a broadcast of a new group is wrong");
    sync(*group);
    // What real teams tell one another: no area has seen a later step.
    const auto mine = static_cast<std::int64_t>(group->last_step());
    auto* const steps = reinterpret_cast<std::int64_t*>(pe.heap() + 64);
    steps[0] = mine;
    const auto world = pe.group(all_of(stage), 1, static_cast<Step>(round) * 100);
    reduce(*world, {steps + 1, steps, 1, Op::max, Type::i64});
    sync(*world);
    step = static_cast<Step>(steps[1]);
  }
}

void random_collectives(Stress& stress, const Stage& stage, Pe& pe, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::vector<int>> pes{all_of(stage), all_of(stage), {}};
  for (int one = 0; one < stage.pes(); one += 2) pes[2].push_back(one);
  std::reverse(pes[1].begin(), pes[1].end());
  std::vector<std::unique_ptr<Group>> groups;
  for (const auto& each : pes) groups.push_back(pe.group(each, groups.size()));
  for (int i = 0; i < 10; ++i) {
    if (pe.me() == 0) stress.doing("random collectives, number", i);
    const Action action = any_action(random, pes);
    if (groups[action.group] == nullptr) continue;
    const std::string wrong = act(*groups[action.group], pes[action.group], action, pe.heap());
    if (!wrong.empty()) std::fprintf(stderr, "%s (seed of the play %u)\n", wrong.c_str(), seed);
    stress.check(wrong.empty(), "a collective is not what the model says");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  while (stress.goes_on()) {
    Stage stage = any_stage(stress);
    play(stage, [&](Pe& pe) { run_ahead(stress, stage, pe); });
    play(stage, [&](Pe& pe) { use_areas_again(stress, stage, pe); });
    const auto seed = static_cast<unsigned>(stress.random());
    play(stage, [&](Pe& pe) { random_collectives(stress, stage, pe, seed); });
  }
}
