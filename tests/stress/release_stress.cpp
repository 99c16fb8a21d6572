// SPDX-License-Identifier: Apache-2.0

// Dependence release: random programs over little memory, all modes, nested, checked against a serial replay.
// docs/protocols/edges.md, docs/protocols/scope.md, docs/protocols/heap.md
#include <cstdint>
#include <functional>
#include <vector>

#include "stress.hpp"

namespace {

using weir::stress::Stress;

constexpr std::size_t kCells = 24;
constexpr std::size_t kSums = 4;

struct Memory {
  std::uint64_t cell[kCells] = {};  // in, out, inout, ranges
  std::uint64_t sum[kSums] = {};    // reduce, commutative, concurrent (through atomic_ref)
  bool operator==(const Memory&) const = default;
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  return a * 0xbf58476d1ce4e5b9u;
}

enum class Kind : std::uint8_t {
  range,
  combine,
  copy,
  commute,
  reduce,
  reduce_ordered,
  concurrent,
  read_sum,
  nested,
  tree
};

struct Op {
  Kind kind;
  std::size_t a, b, count;
  std::uint64_t value;
};

void apply_range(std::uint64_t* cells, std::size_t count, std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) cells[i] = mix(cells[i], value + i);
}

std::vector<Op> make_program(Stress& stress, std::size_t length) {
  std::vector<Op> program(length);
  for (Op& op : program) {
    op.kind = static_cast<Kind>(stress.below(10));
    op.a = stress.below(kCells);
    op.b = stress.below(kCells);
    op.count = 1 + stress.below(static_cast<unsigned>(kCells - op.a));
    op.value = stress.random();
  }
  return program;
}

void replay(const std::vector<Op>& program, Memory& m) {
  for (const Op& op : program) {
    std::uint64_t& sum = m.sum[op.a % kSums];
    switch (op.kind) {
      case Kind::range: apply_range(m.cell + op.a, op.count, op.value); break;
      case Kind::combine: m.cell[op.a] = mix(m.cell[op.a], m.cell[op.b]); break;
      case Kind::copy: m.cell[op.a] = mix(op.value, m.cell[op.b] * (op.a != op.b)); break;
      case Kind::commute:
      case Kind::reduce:
      case Kind::reduce_ordered:
      case Kind::concurrent: sum += op.value; break;
      case Kind::read_sum: m.cell[op.b] = mix(m.cell[op.b], sum); break;
      case Kind::nested:
        for (std::uint64_t i = 0; i < 4; ++i) m.cell[op.a] = mix(m.cell[op.a], op.value + i);
        break;
      case Kind::tree:
        for (std::uint64_t i = 0; i < 8; ++i) sum += op.value + i;
        break;
    }
  }
}

constexpr std::uint64_t kZero = 0;

void spawn_nested(Memory& m, const Op& op) {
  weir::spawn(weir::inout(m.cell[op.a]), [&m, op] {
    for (std::uint64_t i = 0; i < 4; ++i) {
      weir::spawn(weir::inout(m.cell[op.a]), [&m, op, i] { m.cell[op.a] = mix(m.cell[op.a], op.value + i); });
      if (i == 1 && op.value % 3 == 0) weir::wait();
    }
  });
}

void spawn_tree(Memory& m, const Op& op) {
  std::uint64_t& sum = m.sum[op.a % kSums];
  weir::spawn(weir::inout(sum), [&sum, op] {
    for (std::uint64_t i = 0; i < 4; ++i) {
      weir::spawn(weir::commutative(sum), [&sum, op, i] {
        weir::spawn(weir::inout(sum), [&sum, op, i] { sum += op.value + 2 * i; });
        weir::spawn(weir::inout(sum), [&sum, op, i] { sum += op.value + 2 * i + 1; });
        if (op.value % 2 == 0) weir::wait();
      });
    }
  });
}

void spawn_op(Memory& m, const Op& op, weir::Priority priority) {
  using namespace weir;
  std::uint64_t& a = m.cell[op.a];
  std::uint64_t& b = m.cell[op.b];
  std::uint64_t& sum = m.sum[op.a % kSums];
  switch (op.kind) {
    case Kind::range:
      spawn(inout(m.cell + op.a, op.count), priority,
            [op](std::span<std::uint64_t> s) { apply_range(s.data(), s.size(), op.value); });
      break;
    case Kind::combine: spawn(in(b), inout(a), [&a, &b] { a = mix(a, b); }); break;
    case Kind::copy: spawn(in(b), out(a), [&a, &b, op] { a = mix(op.value, b * (op.a != op.b)); }); break;
    case Kind::commute: spawn(commutative(sum), priority, [&sum, op] { sum += op.value; }); break;
    case Kind::reduce: spawn(reduce(sum, std::plus<>{}, kZero), [op](std::uint64_t& copy) { copy += op.value; }); break;
    case Kind::reduce_ordered:
      spawn(reduce_ordered(sum, std::plus<>{}, kZero), [op](std::uint64_t& copy) { copy += op.value; });
      break;
    case Kind::concurrent:
      spawn(concurrent(sum), [&sum, op] { std::atomic_ref(sum).fetch_add(op.value, std::memory_order_relaxed); });
      break;
    case Kind::read_sum: spawn(in(sum), inout(b), [&sum, &b] { b = mix(b, sum); }); break;
    case Kind::nested: spawn_nested(m, op); break;
    case Kind::tree: spawn_tree(m, op); break;
  }
}

void run(Stress& stress, int workers) {
  weir::Options options = weir::stress::with_workers(workers);
  if (stress.below(2) == 0) options.throttle = 1 + static_cast<int>(stress.below(60));
  weir::Runtime runtime(options);
  Memory expected, memory;
  std::vector<weir::Handle<int>> handles;
  for (int round = 0; round < 20; ++round) {
    const std::vector<Op> program = make_program(stress, 10 + stress.below(300));
    stress.doing("a random program, workers:", workers);
    for (const Op& op : program) spawn_op(memory, op, static_cast<weir::Priority>(stress.below(3)));
    handles.push_back(runtime.spawn([round] { return round; }));
    runtime.wait();
    replay(program, expected);
    stress.check(memory == expected, "the memory after a random program");
  }
  for (int round = 0; round < 20; ++round) {
    stress.check(handles[static_cast<std::size_t>(round)].get() == round, "the result of a handle that was kept");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Stress stress(argc, argv);
  for (int round = 0; stress.goes_on(); ++round) run(stress, weir::stress::kWorkerCounts[round % 4]);
}
