// SPDX-License-Identifier: Apache-2.0

#include "routines.hpp"

#include "shmem/detail/plain.h"
#include "shmem/detail/routines.h"

namespace weir::manual {

namespace {

struct Row {
  const char *result, *name, *key, *parameters;
};
using Rows = std::vector<Row>;

#define WEIR_MANUAL_TYPED(R, N, T, NAME, PARAMETERS, ARGUMENTS) Row{#R, #NAME, #NAME, #PARAMETERS},
#define WEIR_MANUAL_WIDE(R, NAME, BYTES, WHAT, PARAMETERS, ARGUMENTS) Row{#R, #NAME, #WHAT, #PARAMETERS},
#define WEIR_MANUAL_PLAIN(R, NAME, PARAMETERS) Row{#R, #NAME, #NAME, #PARAMETERS},

// "int, long, longlong (long long)"
std::string joined(const std::vector<std::pair<std::string, std::string>>& types) {
  std::string text;
  for (const auto& [name, type] : types) {
    text += text.empty() ? "" : ", ";
    text += name == type || name + "_t" == type ? name : name + " (" + type + ")";
  }
  return text;
}
#define WEIR_MANUAL_TYPE(X, N, T) {#N, #T},
#define WEIR_MANUAL_TYPES(LIST) joined({LIST(WEIR_MANUAL_TYPE, )})

class Collected {
 public:
  void add(const Rows& rows, const Routine& like) {
    for (const Row& row : rows) {
      Routine routine = like;
      routine.result = row.result;
      routine.name = row.name;
      routine.key = row.key;
      routine.parameters = row.parameters;
      routines_.push_back(routine);
    }
  }
  std::vector<Routine> take() { return std::move(routines_); }

 private:
  std::vector<Routine> routines_;
};

// With contexts, without, deprecated.
Routine with_contexts(std::string types) {
  return {.kind = Routine::Kind::typed, .types = std::move(types), .has_context = true, .has_generic = true};
}
Routine without(std::string types) {
  return {.kind = Routine::Kind::typed, .types = std::move(types), .has_generic = true};
}
Routine old(std::string types, bool has_generic) {
  return {.kind = Routine::Kind::typed, .types = std::move(types), .has_generic = has_generic, .is_old = true};
}
Routine wide(std::string sizes, bool has_context, bool is_old) {
  return {.kind = Routine::Kind::wide, .types = std::move(sizes), .has_context = has_context, .is_old = is_old};
}

void add_remote(Collected& all) {
  all.add({WEIR_SHMEM_RMA(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, with_contexts(WEIR_MANUAL_TYPES(WEIR_SHMEM_RMA_TYPES)));
  const std::string sizes = "8, 16, 32, 64, 128 (bits of an element)";
  all.add({WEIR_SHMEM_SIZED(WEIR_MANUAL_WIDE, SIZE, 0)}, wide(sizes, true, false));
  all.add({WEIR_SHMEM_SIZED(WEIR_MANUAL_WIDE, mem, 1)}, wide("", true, false));
  all.add({WEIR_SHMEM_SIZED_STRIDED(WEIR_MANUAL_WIDE, SIZE, 0)}, wide(sizes, true, false));
  all.add({WEIR_SHMEM_EXT(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, with_contexts(WEIR_MANUAL_TYPES(WEIR_SHMEM_EXT_TYPES)));
  all.add({WEIR_SHMEM_AMO(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, with_contexts(WEIR_MANUAL_TYPES(WEIR_SHMEM_AMO_TYPES)));
  all.add({WEIR_SHMEM_BIT(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, with_contexts(WEIR_MANUAL_TYPES(WEIR_SHMEM_BIT_TYPES)));
  all.add({WEIR_SHMEM_OLD_SWAPS(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, old(WEIR_MANUAL_TYPES(WEIR_SHMEM_OLD_EXT), true));
  all.add({WEIR_SHMEM_OLD_SUMS(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, old(WEIR_MANUAL_TYPES(WEIR_SHMEM_OLD_AMO), true));
}

void add_together(Collected& all) {
  const std::string rma = WEIR_MANUAL_TYPES(WEIR_SHMEM_RMA_TYPES);
  const std::string sums = WEIR_MANUAL_TYPES(WEIR_SHMEM_REDUCE_SUM_TYPES);
  all.add({WEIR_SHMEM_WAIT(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, without(WEIR_MANUAL_TYPES(WEIR_SHMEM_P2P_TYPES)));
  all.add({WEIR_SHMEM_WAIT_SEVERAL(WEIR_MANUAL_TYPED, TYPENAME, TYPE)},
          without(WEIR_MANUAL_TYPES(WEIR_SHMEM_AMO_TYPES)));
  all.add({WEIR_SHMEM_COLLECTIVE(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, without(rma));
  all.add({WEIR_SHMEM_REDUCE_BITS(WEIR_MANUAL_TYPED, TYPENAME, TYPE)},
          without(WEIR_MANUAL_TYPES(WEIR_SHMEM_REDUCE_BITS_TYPES)));
  all.add({WEIR_SHMEM_REDUCE_MINMAX(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, without(rma));
  all.add({WEIR_SHMEM_REDUCE_SUM(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, without(sums));
  all.add({WEIR_SHMEM_SCAN(WEIR_MANUAL_TYPED, TYPENAME, TYPE)}, without(sums));
  all.add({WEIR_SHMEM_OLD_WAIT(WEIR_MANUAL_TYPED, TYPENAME, TYPE)},
          old(WEIR_MANUAL_TYPES(WEIR_SHMEM_P2P_TYPES), false));
  all.add({WEIR_SHMEM_OLD_BITS(WEIR_MANUAL_TYPED, TYPENAME, TYPE)},
          old(WEIR_MANUAL_TYPES(WEIR_SHMEM_TO_ALL_BITS), false));
  all.add({WEIR_SHMEM_OLD_MINMAX(WEIR_MANUAL_TYPED, TYPENAME, TYPE)},
          old(WEIR_MANUAL_TYPES(WEIR_SHMEM_TO_ALL_MINMAX), false));
  all.add({WEIR_SHMEM_OLD_SUM(WEIR_MANUAL_TYPED, TYPENAME, TYPE)},
          old(WEIR_MANUAL_TYPES(WEIR_SHMEM_TO_ALL_SUM), false));
  all.add({WEIR_SHMEM_OLD_COLLECTIVE(WEIR_MANUAL_WIDE, SIZE, 0)}, wide("32, 64 (bits of an element)", false, true));
}

void add_plain(Collected& all) {
  const Rows rows = {WEIR_SHMEM_SETUP(WEIR_MANUAL_PLAIN) WEIR_SHMEM_MEMORY(WEIR_MANUAL_PLAIN) WEIR_SHMEM_TEAMS(
      WEIR_MANUAL_PLAIN) WEIR_SHMEM_ORDER(WEIR_MANUAL_PLAIN) WEIR_SHMEM_TOGETHER(WEIR_MANUAL_PLAIN)};
  all.add(rows, {});
  all.add({{"_Noreturn void", "shmem_global_exit", "shmem_global_exit", "(int status)"}}, {});
  all.add({WEIR_SHMEM_OLD(WEIR_MANUAL_PLAIN)}, {.is_old = true});
}

}  // namespace

std::vector<Routine> all_routines() {
  Collected all;
  add_remote(all);
  add_together(all);
  add_plain(all);
  return all.take();
}

}  // namespace weir::manual
