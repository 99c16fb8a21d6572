// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "multi/shmem/bodies.hpp"
#include "shmem/rma/atomic.hpp"
#include "shmem/rma/rma.hpp"
#include "shmem/rma/wait.hpp"
#include "shmem/start/start.hpp"

namespace weir::shmem::multi {

namespace {

constexpr int kEqual = static_cast<int>(Comparison::eq), kGreater = static_cast<int>(Comparison::gt),
              kGreaterEqual = static_cast<int>(Comparison::ge), kNotEqual = static_cast<int>(Comparison::ne);

Context& ctx() { return default_context(); }

void puts_and_gets() {
  start(ThreadLevel::single);
  constexpr std::size_t kMost = 300000;
  auto* const there = make<unsigned char>(kMost);
  std::vector<unsigned char> mine(kMost), got(kMost);
  for (const std::size_t bytes : {1, 2, 3, 4, 7, 8, 9, 16, 64, 100, 4096, 300000}) {
    for (std::size_t i = 0; i < bytes; ++i) mine[i] = static_cast<unsigned char>(i * 7 + bytes + me());
    put(ctx(), there, mine.data(), bytes, next());
    meet();
    for (std::size_t i = 0; i < bytes; ++i)
      expect(there[i] == static_cast<unsigned char>(i * 7 + bytes + previous()), "a put's bytes are there");
    get(ctx(), got.data(), there, bytes, next());
    expect(std::equal(mine.begin(), mine.begin() + bytes, got.begin()), "a get gives what was put");
    meet();
    std::memset(there, 0, bytes);
    meet();
    put_nbi(ctx(), there, mine.data(), bytes, next());
    meet();
    get_nbi(ctx(), got.data(), there, bytes, next());
    quiet(ctx());
    expect(std::equal(mine.begin(), mine.begin() + bytes, got.begin()), "after quiet a get_nbi has what was put");
    meet();
  }
  put(ctx(), nullptr, nullptr, 0, next());  // nothing is looked at
  get(ctx(), nullptr, nullptr, 0, 99);
  auto* const value = make<long double>(1);
  p(ctx(), value, 1.5L + me(), next());
  meet();
  expect(*value == 1.5L + previous() && g(ctx(), value, next()) == 1.5L + me(), "p and g of 16 bytes");
  finish();
}

void strides() {
  start(ThreadLevel::single);
  auto* const there = make<int>(100);
  std::vector<int> mine(100), got(100, -1);
  std::iota(mine.begin(), mine.end(), 1000 * me());
  iput(ctx(), there, mine.data(), {.dest = 3, .source = 2, .count = 10, .element = sizeof(int)}, next());
  meet();
  for (int i = 0; i < 30; ++i)
    expect(there[i] == (i % 3 == 0 ? 1000 * previous() + i / 3 * 2 : 0), "iput puts elements at strides");
  iget(ctx(), got.data(), there, {.dest = 2, .source = 3, .count = 10, .element = sizeof(int)}, next());
  for (int i = 0; i < 20; ++i) expect(got[i] == (i % 2 == 0 ? mine[i] : -1), "iget gets elements at strides");
  meet();
  iput(ctx(), there, mine.data(), {.dest = 5, .source = 4, .block = 3, .count = 6, .element = sizeof(int)}, next());
  meet();
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < 3; ++k)
      expect(there[5 * i + k] == 1000 * previous() + 4 * i + k, "ibput puts blocks at strides");
  }
  iget(ctx(), got.data(), there, {.dest = 4, .source = 5, .block = 3, .count = 6, .element = sizeof(int)}, next());
  expect(got[4 * 5 + 2] == mine[4 * 5 + 2], "ibget gets blocks at strides");
  finish();
}

template <class T>
void atomics_of_integers() {
  auto* const word = make<T>(1);
  const int pe = next();
  expect(atomic_fetch(ctx(), word, pe) == 0, "0 at first");
  meet();
  atomic_set(ctx(), word, T{12}, pe);
  expect(atomic_swap(ctx(), word, T{10}, pe) == 12, "swap gives the old value");
  expect(atomic_compare_swap(ctx(), word, T{9}, T{1}, pe) == 10, "an unequal compare_swap gives the old value");
  expect(atomic_compare_swap(ctx(), word, T{10}, T{6}, pe) == 10 && atomic_fetch(ctx(), word, pe) == 6,
         "an equal one swaps");
  expect(atomic_fetch_add(ctx(), word, T{3}, pe) == 6, "fetch_add gives the old value");
  atomic_add(ctx(), word, static_cast<T>(-1), pe);
  quiet(ctx());
  expect(atomic_fetch_and(ctx(), word, T{12}, pe) == 8 && atomic_fetch_or(ctx(), word, T{5}, pe) == 8, "and, or");
  expect(atomic_fetch_xor(ctx(), word, T{1}, pe) == 13 && atomic_fetch(ctx(), word, pe) == 12, "xor");
  T old[4] = {};
  atomic_fetch_add_nbi(ctx(), &old[0], word, T{1}, pe);
  quiet(ctx());
  atomic_swap_nbi(ctx(), &old[1], word, T{2}, pe);
  quiet(ctx());
  atomic_compare_swap_nbi(ctx(), &old[2], word, T{2}, T{4}, pe);
  quiet(ctx());
  atomic_fetch_nbi(ctx(), &old[3], word, pe);
  quiet(ctx());
  expect(old[0] == 12 && old[1] == 13 && old[2] == 2 && old[3] == 4, "results of nbi are there after quiet");
  meet();
  if (me() == 0) *word = 0;
  meet();
  for (int i = 0; i < 1000; ++i) {
    if (i % 2 == 0)
      atomic_add(ctx(), word, T{1}, 0);
    else
      atomic_fetch_add(ctx(), word, T{1}, 0);
  }
  meet();
  expect(atomic_fetch(ctx(), word, 0) == static_cast<T>(1000 * pes()),
         "additions of all PEs to one word are all there");
  meet();
}

void atomics() {
  start(ThreadLevel::single);
  atomics_of_integers<int>();
  atomics_of_integers<long>();
  atomics_of_integers<unsigned long long>();
  auto* const number = make<double>(1);
  auto* const small = make<float>(1);
  atomic_set(ctx(), number, 1.25, next());
  quiet(ctx());
  expect(atomic_swap(ctx(), number, 2.5, next()) == 1.25 && atomic_fetch(ctx(), number, next()) == 2.5, "of double");
  atomic_set(ctx(), small, 0.5F, next());
  quiet(ctx());
  expect(atomic_fetch(ctx(), small, next()) == 0.5F, "of float");
  finish();
}

// Whoever sees the flag, or the signal, sees the data.
void order() {
  start(ThreadLevel::single);
  constexpr int kRounds = 300;
  auto* const data = make<long>(33);
  auto* const flag = make<long>(1);
  auto* const answer = make<long>(1);
  auto* const signal = make<std::uint64_t>(1);
  std::vector<long> mine(33);
  for (long round = 1; round <= kRounds; ++round) {
    std::fill(mine.begin(), mine.end(), round);
    if (round % 2 == 0) {
      put(ctx(), data, mine.data(), 33 * sizeof(long), next());
      fence(ctx());
      p(ctx(), flag, round, next());
      wait_until(flag, kEqual, round);
    } else {
      put_signal(ctx(), data, mine.data(), 33 * sizeof(long), {signal, 1, SignalOp::add}, next());
      wait_until(signal, kEqual, static_cast<std::uint64_t>(round / 2 + 1));
    }
    expect(std::all_of(data, data + 33, [&](long value) { return value == round; }),
           "data are seen before what follows");
    p(ctx(), answer, round, previous());
    wait_until(answer, kGreaterEqual, round);
  }
  finish();
}

void waits() {
  start(ThreadLevel::single);
  auto* const words = make<long>(8);
  p(ctx(), &words[5], 3L, next());
  std::size_t indices[8] = {};
  const long wanted = 2;
  const long each[8] = {0, 0, 0, 0, 0, 3, 0, 0};
  const int status[8] = {0, 0, 0, 0, 0, 1, 0, 0};
  const Wanted<long> one{&wanted, false}, vector{each, true};
  const Words<long> all{words, 8, nullptr}, others{words, 8, status}, none{words, 0, nullptr};
  expect(wait_until_any(all, kGreater, one) == 5, "any: the one that holds");
  expect(wait_until_some(all, indices, kGreater, one) == 1 && indices[0] == 5, "some: those that hold");
  wait_until_all(all, kEqual, vector);
  expect(test_all(all, kEqual, vector) && !test_all(all, kGreater, one), "all");
  expect(test_any(others, kGreater, one) == SIZE_MAX && test_some(others, indices, kGreater, one) == 0, "left out");
  expect(wait_until_any(none, kEqual, one) == SIZE_MAX && wait_until_some(none, indices, kEqual, one) == 0 &&
             test_all(none, kEqual, one),
         "of no words");
  auto* const small = make<short>(1);
  p(ctx(), small, static_cast<short>(9), next());
  expect(wait_until(small, kNotEqual, short{0}) == 9, "of 16 bits");
  finish();
}

// A token goes around; who has not got it waits. With more PEs than processors, too.
void ring() {
  start(ThreadLevel::single);
  auto* const token = make<long>(1);
  for (long round = 1; round <= 200; ++round) {
    if (me() == 0) p(ctx(), token, round, next());
    wait_until(token, kEqual, round);
    if (me() != 0) p(ctx(), token, round, next());
  }
  finish();
}

const Named kPuts("puts", puts_and_gets);
const Named kStrides("strides", strides);
const Named kAtomics("atomics", atomics);
const Named kOrder("order", order);
const Named kWaits("waits", waits);
const Named kRing("ring", ring);

}  // namespace

}  // namespace weir::shmem::multi
