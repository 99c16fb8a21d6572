// SPDX-License-Identifier: Apache-2.0

// Programs whose own functions have the names of the library's, and callables of unusual kinds.
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "tests/unit/api/support.hpp"
#include "weir/loop_affinity.hpp"

namespace {

int taken = 0;  // calls of the library that went to the program's functions
int other = 0;

}  // namespace

// Its functions take anything, so that a call which is looked up with arguments of this namespace goes to them.
namespace greedy {

struct Cell {
  int value = 0;
  void add() { ++value; }
};
struct Plus {
  Cell operator()(const Cell& a, const Cell& b) const { return {a.value + b.value}; }
};

#define WEIR_GREEDY(name)                                                                                              \
  template <class... A>                                                                                                \
  int name(A&&...) {                                                                                                   \
    return ++taken;                                                                                                    \
  }                                                                                                                    \
  template <std::size_t, class A>                                                                                      \
  int name(A&&) {                                                                                                      \
    return ++taken;                                                                                                    \
  }                                                                                                                    \
  static_assert(true)
WEIR_GREEDY(spawn_task);
WEIR_GREEDY(spawn_all);
WEIR_GREEDY(spawn_in);
WEIR_GREEDY(at);
WEIR_GREEDY(take);
WEIR_GREEDY(call_with);
WEIR_GREEDY(object_of);
WEIR_GREEDY(fork_join);
WEIR_GREEDY(fork_and_join);
WEIR_GREEDY(fork_in_turn);
WEIR_GREEDY(fork_push);
WEIR_GREEDY(fork_join_half);
WEIR_GREEDY(for_halves);
WEIR_GREEDY(for_rectangles);
WEIR_GREEDY(reduce_halves);
WEIR_GREEDY(walk_pieces);
WEIR_GREEDY(for_pieces);
WEIR_GREEDY(item_of);
WEIR_GREEDY(object_item);
WEIR_GREEDY(range_item);
WEIR_GREEDY(object);
WEIR_GREEDY(reduce);
#undef WEIR_GREEDY

struct Body {
  std::atomic<int>* calls;
  void operator()(int first, int last) const { *calls += last - first; }
  void operator()(const weir::Range2<int>& piece) const {
    *calls += (piece.bottom - piece.top) * (piece.right - piece.left);
  }
};
struct Map {
  Cell operator()(int first, int last, Cell sum) const { return {sum.value + last - first}; }
};

}  // namespace greedy

namespace weir {
namespace {

TEST(Lookup, FindsTheLibrarysFunctionsWhateverTheProgramsAreNamed) {
  Runtime rt({.workers = 2});
  greedy::Cell cell, many[3];
  const auto add = [](greedy::Cell& c) { c.add(); };
  taken = 0;
  rt.spawn(inout(cell), add);
  rt.spawn(inout(cell), name("six"), on_domain(0), Priority::normal, in(many, 3),
           [](greedy::Cell& c, std::span<const greedy::Cell>) { c.add(); });
  rt.spawn(weir::reduce(cell, greedy::Plus(), greedy::Cell()), add);
  rt.wait();
  EXPECT_EQ(cell.value, 3);

  std::atomic<int> calls = 0;
  const greedy::Body body{&calls};
  LoopAffinity affinity;
  parallel_for(0, 100, 1, body);
  parallel_for(Range2<int>{0, 10, 0, 10}, 1, body);
  parallel_for(0, 100, 1, affinity, body);
  weir::fork_join([&] { body(0, 50); }, [&] { body(0, 50); });
  EXPECT_EQ(calls, 400);
  EXPECT_EQ(parallel_reduce(0, 100, 1, greedy::Cell(), greedy::Map(), greedy::Plus()).value, 100);
  EXPECT_EQ(taken, 0);
}

TEST(Callables, MayBePointersToMembersOfWhatAnItemRefersTo) {
  Runtime rt({.workers = 1});
  greedy::Cell cell;
  greedy::Cell* pointer = &cell;
  std::reference_wrapper<greedy::Cell> reference(cell);
  auto shared = std::make_shared<greedy::Cell>();
  rt.spawn(inout(cell), &greedy::Cell::add);
  rt.spawn(inout(pointer), &greedy::Cell::add);
  rt.wait();
  rt.spawn(inout(reference), &greedy::Cell::add);
  rt.spawn(inout(weir::object(shared)), &greedy::Cell::add);
  rt.wait();
  EXPECT_EQ(cell.value, 3);
  EXPECT_EQ(shared->value, 1);
  EXPECT_EQ(rt.spawn(in(pointer), &greedy::Cell::value).get(), 3);
}

TEST(Callables, ThatTakeAnyNumberGetTheItems) {
  Runtime rt({.workers = 1});
  int a = 1, b = 2;
  rt.spawn(inout(a), inout(b), [](auto&... all) { ((all += 10), ...); });
  rt.wait();
  EXPECT_EQ(a, 11);
  EXPECT_EQ(b, 12);
}

TEST(Callables, WithADefaultGetTheItem) {
  Runtime rt({.workers = 1});
  other = 0;
  int a = 1;
  rt.spawn(inout(a), [](int& x = other) { ++x; });
  rt.spawn([](int& x = other) { ++x; });
  rt.wait();
  EXPECT_EQ(a, 2);
  EXPECT_EQ(other, 1);
}

}  // namespace
}  // namespace weir
