// SPDX-License-Identifier: Apache-2.0

// What ranks do while one of them is killed, or ends all: each waits in another way, and must say who is gone. They
// print "lost RANK: WHY" and end without having left.
#include <atomic>
#include <cstdio>
#include <vector>

#include "conformance/transport/bodies.hpp"

namespace weir::transport::conformance {
namespace {

void say_who_is_lost(const Transport& t, base::Code code) {
  require(code == base::Code::lost, "a call that cannot end says that a rank is lost");
  const auto lost = t.lost();
  require(lost.has_value(), "lost() names the rank");
  std::printf("lost %u: %s\n", static_cast<std::uint32_t>(lost->rank), lost->why.c_str());
}

void lost_in_a_barrier(Transport& t) {
  base::Status status;
  while (status) status = t.barrier();
  say_who_is_lost(t, status.code);
}

void lost_in_an_exchange(Transport& t) {
  std::vector<std::byte> mine(10'000), all(mine.size() * t.ranks());
  base::Status status;
  while (status) status = t.all_gather(mine, all);
  say_who_is_lost(t, status.code);
}

void lost_while_making_regions(Transport& t) {
  base::Status status;
  while (status) {
    const auto region = t.make_region({.size = {1 << 20}});
    status = region ? t.free_region(region->id) : region.status();
  }
  say_who_is_lost(t, status.code);
}

void lost_while_sending(Transport& t) {
  t.set_handler(
      1, [](void*, Rank, std::span<const std::byte>) {}, nullptr);
  const std::vector<std::byte> message(4000);
  base::Status status = t.barrier();
  for (std::uint32_t i = 0; status; ++i) status = t.send(Rank{i % t.ranks()}, 1, message);
  say_who_is_lost(t, status.code);
}

void lost_while_nothing_arrives(Transport& t) {
  while (!t.lost()) t.wait_for_arrival(3'600'000'000'000);
  say_who_is_lost(t, base::Code::lost);
}

void lost_in_a_put(Transport& t) {
  const auto region = t.make_region({.size = {1 << 20}});
  const auto channel = t.open_channel();
  base::Status status = region.status();
  for (std::uint32_t i = 0; status; ++i) {
    const std::uint64_t value = i;
    status = channel->put({Rank{i % t.ranks()}, region->id, std::uint64_t{8} * me(t)}, &value, 8);
    if (status) status = channel->quiet();
    if (i % 1000 == 0) t.wait_for_arrival(1000);  // whoever waits looks after the others
  }
  say_who_is_lost(t, status.code);
}

// Rank 0 ends all, while the others wait, and one of them computes.
void one_aborts(Transport& t) {
  require(t.barrier());
  std::printf("rank %u was here\n", me(t));
  if (me(t) == 0) t.abort(7);
  if (me(t) == 1) {
    for (std::atomic<std::uint64_t> count{0};;) count.fetch_add(1);
  }
  require(t.barrier());
  throw std::runtime_error("nobody passes this barrier");
}

void a_put_beyond_the_end(Transport& t) {
  const Region region = required(t.make_region({.size = {4096}}));
  const std::uint64_t value = 1;
  require(t.open_channel()->put({next(t), region.id, region.size.count - 7}, &value, 8));
}

void an_atomic_that_is_not_aligned(Transport& t) {
  const Region region = required(t.make_region({.size = {4096}}));
  require(t.open_channel()->atomic({next(t), region.id, 4}, AtomicOp::add, AtomicWidth::bits64, 1).status());
}

void a_message_that_is_too_long(Transport& t) {
  const std::vector<std::byte> message(Transport::kMaxMessage + 1);
  require(t.send(next(t), 1, message));
}

void a_message_without_a_handler(Transport& t) {
  require(t.send(next(t), 2, {}));
  require(t.barrier());
  while (true) t.wait_for_arrival(1'000'000), static_cast<void>(t.progress());
}

constexpr Body kLossBodies[] = {
    {"lost_in_a_barrier", lost_in_a_barrier},
    {"lost_in_an_exchange", lost_in_an_exchange},
    {"lost_while_making_regions", lost_while_making_regions},
    {"lost_while_sending", lost_while_sending},
    {"lost_while_nothing_arrives", lost_while_nothing_arrives},
    {"lost_in_a_put", lost_in_a_put},
    {"one_aborts", one_aborts},
    {"a_put_beyond_the_end", a_put_beyond_the_end},
    {"an_atomic_that_is_not_aligned", an_atomic_that_is_not_aligned},
    {"a_message_that_is_too_long", a_message_that_is_too_long},
    {"a_message_without_a_handler", a_message_without_a_handler},
};

}  // namespace

std::span<const Body> loss_bodies() { return kLossBodies; }

}  // namespace weir::transport::conformance
