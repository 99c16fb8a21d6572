// SPDX-License-Identifier: Apache-2.0

// Regions, puts, gets, atomics and their order.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <random>
#include <vector>

#include "conformance/transport/bodies.hpp"

namespace weir::transport::conformance {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// One region, one channel, and words of it by rank and index.
struct Words {
  Transport& transport;
  Region region;
  std::unique_ptr<Channel> channel;

  explicit Words(Transport& t, std::uint64_t bytes = 4 * kMiB)
      : transport(t), region(required(t.make_region({.size = {bytes}}))), channel(t.open_channel()) {}
  Location at(Rank rank, std::uint64_t index) const { return {rank, region.id, index * sizeof(std::uint64_t)}; }
  std::uint64_t& mine(std::uint64_t index) const { return reinterpret_cast<std::uint64_t*>(region.data)[index]; }
  std::uint64_t seen(std::uint64_t index) const { return std::atomic_ref(mine(index)).load(); }
  std::uint64_t get(Rank rank, std::uint64_t index) const {
    std::uint64_t value = 0;
    require(channel->get(&value, at(rank, index), sizeof value));
    return value;
  }
  void put(Rank rank, std::uint64_t index, std::uint64_t value) const {
    require(channel->put(at(rank, index), &value, sizeof value));
  }
  // Until the own word is this; remote ranks may need progress meanwhile.
  void wait_for(std::uint64_t index, std::uint64_t value) const {
    while (seen(index) != value) {
      if (!transport.progress()) transport.wait_for_arrival(100'000);
      require(!transport.lost(), "a rank is lost");
    }
  }
  void meet() const {
    require(channel->quiet());
    require(transport.barrier());
  }
  void end() {
    meet();
    channel.reset();
    require(transport.free_region(region.id));
  }
};

std::vector<std::byte> pattern(std::size_t bytes, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> result(bytes);
  for (std::byte& byte : result) byte = static_cast<std::byte>(random());
  return result;
}

void a_region_is_zeros_of_the_largest_size(Transport& t) {
  const std::uint64_t asked = (1 + me(t)) * kMiB;
  Words words(t, asked);
  require(words.region.size.count >= t.ranks() * kMiB, "the largest size counts");
  require(words.region.size.count % (2 * kMiB) == 0, "a size is a multiple of 2 MiB");
  require(reinterpret_cast<std::uintptr_t>(words.region.data) % (2 * kMiB) == 0, "a part begins at 2 MiB");
  std::byte* const end = words.region.data + words.region.size.count;
  require(std::all_of(words.region.data, end, [](std::byte b) { return b == std::byte{0}; }), "zeros");
  require(words.get(next(t), words.region.size.count / 8 - 1) == 0, "the last word is reached, and 0");
  words.end();
}

void neighbours_are_mapped_and_others_are_not(Transport& t) {
  Words words(t);
  words.mine(3) = 100 + me(t);
  require(t.barrier());
  for (std::uint32_t i = 0; i < t.ranks(); ++i) {
    const auto ranks = t.neighbours();
    const bool is_neighbour = std::find(ranks.begin(), ranks.end(), Rank{i}) != ranks.end();
    const std::byte* const part = t.mapped(Rank{i}, words.region.id);
    require(is_neighbour == (part != nullptr), "mapped() is for neighbours");
    if (part == nullptr) continue;
    require(reinterpret_cast<const std::uint64_t*>(part)[3] == 100 + i, "a neighbour's word");
  }
  require(t.mapped(t.rank(), words.region.id) == words.region.data, "a rank is its own neighbour");
  require(std::is_sorted(t.neighbours().begin(), t.neighbours().end()), "neighbours are in rising order");
  words.end();
}

void regions_are_apart_and_can_be_freed(Transport& t) {
  Words first(t), second(t);
  require(first.region.id != second.region.id, "two regions have two ids");
  for (std::uint64_t i = 0; i < 100; ++i) first.put(next(t), i, 1000 + i), second.put(next(t), i, 2000 + i);
  first.meet();
  second.meet();
  for (std::uint64_t i = 0; i < 100; ++i) require(first.mine(i) == 1000 + i && second.mine(i) == 2000 + i, "apart");
  first.end();
  for (std::uint64_t i = 0; i < 100; ++i) require(second.mine(i) == 2000 + i, "the other one stays");
  for (int i = 0; i < 20; ++i) {
    Words again(t);
    require(again.get(previous(t), 17) == 0, "a new region is zeros");
    require(t.barrier());
    again.mine(17) = 1;
    again.end();
  }
  second.end();
}

void a_region_too_large_is_refused_on_all_alike(Transport& t) {
  const bool greedy = me(t) == t.ranks() - 1;
  const auto region = t.make_region({.size = {greedy ? std::uint64_t{1} << 62 : kMiB}, .name = "too large"});
  require(!region, "more than there are addresses");
  require(region.status().code == base::Code::no_space, "no_space");
  require(region.status().message.find("too large") != std::string::npos, "the region is named");
  Words words(t);  // and all is well
  words.end();
}

void a_region_of_nothing_is_refused(Transport& t) {
  const auto region = t.make_region({.size = {0}});
  require(!region && region.status().code == base::Code::bad_option, "a size is needed");
}

void the_descriptor_maps_the_part_once_more(Transport& t) {
  Words words(t);
  const auto descriptor = t.descriptor(words.region.id);
  require(descriptor.number == -1 || descriptor.offset % (2 * kMiB) == 0, "offsets are those of parts");
  words.end();
}

void a_put_is_there_after_quiet_and_a_barrier(Transport& t) {
  Words words(t);
  for (std::uint32_t i = 0; i < t.ranks(); ++i) words.put(Rank{i}, me(t), 7000 + me(t));
  words.meet();
  for (std::uint32_t i = 0; i < t.ranks(); ++i) require(words.mine(i) == 7000 + i, "everybody's put is there");
  words.end();
}

// Around the sizes at which backends change their ways, at any alignment.
void puts_and_gets_of_all_sizes_are_whole(Transport& t) {
  Words words(t, 16 * kMiB);
  std::mt19937 random(1 + me(t));
  for (const std::size_t around : {1, 8, 64, 4000, 4096, 8192, 65536, 1 << 20, 5 << 20}) {
    for (std::size_t bytes = around - 1; bytes <= around + 1; ++bytes) {
      const std::uint64_t offset = random() % 4096;
      const auto sent = pattern(bytes, static_cast<std::uint32_t>(bytes) + me(t));
      require(words.channel->put({next(t), words.region.id, offset}, sent.data(), bytes));
      require(words.channel->quiet());
      std::vector<std::byte> back(bytes);
      require(words.channel->get(back.data(), {next(t), words.region.id, offset}, bytes));
      require(back == sent, "what is got is what was put");
      require(t.barrier());
    }
  }
  words.end();
}

void a_put_leaves_its_surroundings(Transport& t) {
  Words words(t);
  std::fill(words.region.data, words.region.data + 1024, std::byte{0xee});
  require(t.barrier());
  const auto sent = pattern(100, me(t));
  require(words.channel->put({next(t), words.region.id, 301}, sent.data(), sent.size()));
  words.meet();
  const auto expected = pattern(100, static_cast<std::uint32_t>(previous(t)));
  for (std::size_t i = 0; i < 1024; ++i) {
    const bool inside = i >= 301 && i < 401;
    require(words.region.data[i] == (inside ? expected[i - 301] : std::byte{0xee}), "bytes put, and no others");
  }
  words.end();
}

void the_source_of_a_put_may_be_used_again_at_once(Transport& t) {
  Words words(t);
  std::vector<std::uint64_t> source(20'000);
  for (std::uint64_t round = 0; round < 8; ++round) {
    std::fill(source.begin(), source.end(), 1 + round + 100 * me(t));
    require(words.channel->put(words.at(next(t), round * source.size()), source.data(), source.size() * 8));
    std::fill(source.begin(), source.end(), 0xdead);
  }
  words.meet();
  const std::uint64_t from = static_cast<std::uint32_t>(previous(t));
  for (std::uint64_t i = 0; i < 8 * source.size(); ++i)
    require(words.mine(i) == 1 + i / source.size() + 100 * from, "what the source held when put() was called");
  words.end();
}

void nbi_operations_are_done_after_quiet(Transport& t) {
  Words words(t);
  const std::uint64_t count = 500;
  std::vector<std::uint64_t> source(count), got(count), old(count);
  for (std::uint64_t i = 0; i < count; ++i) words.mine(i) = 10 * i + me(t), source[i] = 1000 * me(t) + i;
  require(t.barrier());
  const std::uint64_t there = static_cast<std::uint32_t>(next(t));
  for (std::uint64_t i = 0; i < count; ++i) {
    require(words.channel->get_nbi(&got[i], words.at(next(t), i), 8));
    require(words.channel->put_nbi(words.at(next(t), count + i), &source[i], 8));
    require(words.channel->atomic_nbi(words.at(next(t), 2 * count), AtomicOp::fetch_add, AtomicWidth::bits64, 1, 0,
                                      &old[i]));
  }
  require(words.channel->quiet());
  std::sort(old.begin(), old.end());
  for (std::uint64_t i = 0; i < count; ++i) {
    require(got[i] == 10 * i + there, "got");
    require(old[i] == i, "each number once");
    require(words.get(next(t), count + i) == source[i], "put");
  }
  words.end();
}

void quiet_for_some_ranks_completes_what_goes_there(Transport& t) {
  Words words(t);
  for (std::uint32_t i = 0; i < t.ranks(); ++i) {
    const std::uint64_t value = 5 + me(t);
    const Rank to{i};
    require(words.channel->put_nbi(words.at(to, me(t)), &value, 8));
    require(words.channel->quiet(std::span(&to, 1)));
    require(words.get(to, me(t)) == 5 + me(t), "done after quiet() of that rank");
  }
  words.end();
}

// A flag behind a fence is never seen before its data.
void fence_orders_puts_to_a_rank(Transport& t) {
  Words words(t);
  constexpr std::uint64_t kRounds = 300, kWords = 64, kFlag = 100, kAnswer = 101;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    std::vector<std::uint64_t> data(kWords, round);
    require(words.channel->put_nbi(words.at(next(t), 0), data.data(), 8 * kWords));
    require(words.channel->fence());
    require(words.channel->atomic(words.at(next(t), kFlag), AtomicOp::set, AtomicWidth::bits64, round).status());
    words.wait_for(kFlag, round);
    for (std::uint64_t i = 0; i < kWords; ++i) require(words.mine(i) == round, "data before its flag");
    require(words.channel->atomic(words.at(previous(t), kAnswer), AtomicOp::set, AtomicWidth::bits64, round).status());
    require(words.channel->quiet());
    words.wait_for(kAnswer, round);
  }
  words.end();
}

void atomics_return_the_old_value(Transport& t) {
  Words words(t);
  const Location at = words.at(next(t), 9);
  const auto run = [&](AtomicOp op, std::uint64_t operand, std::uint64_t expected = 0) {
    require(words.channel->fence());
    return required(words.channel->atomic(at, op, AtomicWidth::bits64, operand, expected));
  };
  require(run(AtomicOp::set, 12) == 0, "set fetches nothing");
  require(run(AtomicOp::fetch, 0) == 12, "fetch");
  require(run(AtomicOp::add, 3) == 0, "add fetches nothing");
  require(run(AtomicOp::fetch_add, 5) == 15, "fetch_add");
  require(run(AtomicOp::swap, 0xf0f0) == 20, "swap");
  require(run(AtomicOp::compare_swap, 1, 2) == 0xf0f0, "compare_swap that finds another value");
  require(run(AtomicOp::compare_swap, 0xff00, 0xf0f0) == 0xf0f0, "compare_swap that finds it");
  require(run(AtomicOp::fetch_and, 0x0ff0) == 0xff00, "fetch_and");
  require(run(AtomicOp::fetch_or, 0x000f) == 0x0f00, "fetch_or");
  require(run(AtomicOp::fetch_xor, 0xffff) == 0x0f0f, "fetch_xor");
  require(run(AtomicOp::bit_and, 0xf00f) == 0 && run(AtomicOp::bit_or, 1) == 0 && run(AtomicOp::bit_xor, 2) == 0, "");
  require(run(AtomicOp::fetch, 0) == (((0xf0f0u & 0xf00f) | 1) ^ 2u), "bit_and, bit_or, bit_xor");
  words.end();
}

void atomics_of_half_a_word_leave_the_other_half(Transport& t) {
  Words words(t);
  words.mine(0) = 0x1111111122222222;
  require(t.barrier());
  const Location upper{next(t), words.region.id, 4};
  const auto old = required(words.channel->atomic(upper, AtomicOp::fetch_add, AtomicWidth::bits32, 0xffffffff));
  require(old == 0x11111111, "the old upper half (on a little-endian machine)");
  words.meet();
  require(words.mine(0) == 0x1111111022222222, "no carry leaves the half");
  words.end();
}

// Remote atomics and the processor's own, on one word.
void atomics_lose_no_addition(Transport& t) {
  Words words(t);
  constexpr std::uint64_t kEach = 2000;
  for (std::uint64_t i = 0; i < kEach; ++i) {
    require(words.channel->atomic(words.at(Rank{0}, 0), AtomicOp::fetch_add, AtomicWidth::bits64, 1).status());
    require(words.channel->atomic_nbi(words.at(Rank{0}, 1), AtomicOp::add, AtomicWidth::bits64, 1, 0, nullptr));
    if (me(t) == 0) std::atomic_ref(words.mine(0)).fetch_add(1);
  }
  words.meet();
  require(words.get(Rank{0}, 0) == kEach * (t.ranks() + 1), "each addition counts, the owner's own, too");
  require(words.get(Rank{0}, 1) == kEach * t.ranks(), "each addition without an answer counts");
  words.end();
}

void channels_are_independent(Transport& t) {
  Words words(t);
  std::vector<std::unique_ptr<Channel>> channels;
  for (int i = 0; i < 16; ++i) channels.push_back(t.open_channel());
  for (std::uint64_t i = 0; i < 16; ++i) {
    const std::uint64_t value = i + 1;
    require(channels[i]->put(words.at(next(t), i), &value, 8));
  }
  for (const auto& channel : channels) require(channel->quiet());
  require(words.channel->quiet());
  require(t.is_quiet(), "nothing is under way when all channels are quiet");
  words.meet();
  for (std::uint64_t i = 0; i < 16; ++i) require(words.mine(i) == i + 1, "each channel's put");
  channels.clear();
  words.end();
}

constexpr Body kMemoryBodies[] = {
    {"a_region_is_zeros_of_the_largest_size", a_region_is_zeros_of_the_largest_size},
    {"neighbours_are_mapped_and_others_are_not", neighbours_are_mapped_and_others_are_not},
    {"regions_are_apart_and_can_be_freed", regions_are_apart_and_can_be_freed},
    {"a_region_too_large_is_refused_on_all_alike", a_region_too_large_is_refused_on_all_alike},
    {"a_region_of_nothing_is_refused", a_region_of_nothing_is_refused},
    {"the_descriptor_maps_the_part_once_more", the_descriptor_maps_the_part_once_more},
    {"a_put_is_there_after_quiet_and_a_barrier", a_put_is_there_after_quiet_and_a_barrier},
    {"puts_and_gets_of_all_sizes_are_whole", puts_and_gets_of_all_sizes_are_whole},
    {"a_put_leaves_its_surroundings", a_put_leaves_its_surroundings},
    {"the_source_of_a_put_may_be_used_again_at_once", the_source_of_a_put_may_be_used_again_at_once},
    {"nbi_operations_are_done_after_quiet", nbi_operations_are_done_after_quiet},
    {"quiet_for_some_ranks_completes_what_goes_there", quiet_for_some_ranks_completes_what_goes_there},
    {"fence_orders_puts_to_a_rank", fence_orders_puts_to_a_rank},
    {"atomics_return_the_old_value", atomics_return_the_old_value},
    {"atomics_of_half_a_word_leave_the_other_half", atomics_of_half_a_word_leave_the_other_half},
    {"atomics_lose_no_addition", atomics_lose_no_addition},
    {"channels_are_independent", channels_are_independent},
};

}  // namespace

std::span<const Body> memory_bodies() { return kMemoryBodies; }

}  // namespace weir::transport::conformance
