// SPDX-License-Identifier: Apache-2.0

// Random collectives on random groups of PEs on random nodes, against a serial model. Buffers are used again at once,
// without any synchronisation between collectives. WEIR_SHMEM_SEEDS: how many plays (default: a few).
#include "unit/shmem/group/model.hpp"

#include <cstdlib>

#include "base/sanitizers.hpp"
#include "unit/shmem/group/play.hpp"

namespace weir::shmem::test {
namespace {

struct Play {
  Stage stage;
  std::vector<std::vector<int>> groups;
  std::vector<Action> actions;
};

Play any_play(std::mt19937& random) {
  const int pe_counts[] = {1, 2, 3, 4, 5, 8, 9, 12};
  const int pes = pe_counts[random() % 8], nodes = random() % 2 == 0 ? 1 : 1 + static_cast<int>(random() % 4);
  Play play;
  play.stage = one_node(pes, random() % 2 == 0);
  play.stage.bytes = Pe::kAreas * kAreaBytes + 2 * kBuffer;
  for (int& node : play.stage.nodes) node = static_cast<int>(random() % static_cast<unsigned>(nodes));
  play.groups = any_groups(random, pes);
  for (int i = 0; i < (base::kUnderSanitizer ? 15 : 40); ++i) play.actions.push_back(any_action(random, play.groups));
  return play;
}

void act_all(Pe& pe, const Play& play) {
  std::vector<std::unique_ptr<Group>> groups;
  for (const auto& pes : play.groups) groups.push_back(pe.group(pes, groups.size()));
  for (const Action& action : play.actions) {
    Group* const group = groups[action.group].get();
    if (group == nullptr) continue;
    EXPECT_EQ(act(*group, play.groups[action.group], action, pe.heap()), "");
  }
}

TEST(GroupModel, RandomCollectivesOnRandomGroupsGiveWhatASerialModelGives) {
  const char* const text = std::getenv("WEIR_SHMEM_SEEDS");
  const unsigned plays = text != nullptr ? static_cast<unsigned>(std::atoi(text)) : 4;
  const unsigned first = text != nullptr ? std::random_device{}() : 1;
  std::printf("seeds %u to %u\n", first, first + plays - 1);
  for (unsigned seed = first; seed != first + plays && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Play drama = any_play(random);
    play(drama.stage, [&](Pe& pe) { act_all(pe, drama); });
    if (HasFailure()) std::printf("seed %u\n", seed);
  }
}

}  // namespace
}  // namespace weir::shmem::test
