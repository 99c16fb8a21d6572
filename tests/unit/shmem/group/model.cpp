// SPDX-License-Identifier: Apache-2.0

#include "unit/shmem/group/model.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

namespace weir::shmem::test {
namespace {

constexpr std::size_t kElementOf[kTypes] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 16, 8, 16};

// Small whole numbers, so that sums of floating-point numbers are the same in any order; products stay small.
template <class T>
void fill_as(std::byte* to, std::size_t count, unsigned seed, bool is_product) {
  std::minstd_rand random(seed + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<T>(static_cast<float>(is_product ? 1 + random() % 2 : random() % 100));
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

void fill(std::byte* to, const Action& action, std::size_t count, int pe) {
  const unsigned seed = action.seed * 31 + static_cast<unsigned>(pe);
  const bool is_product = action.op == Op::prod;
  switch (action.type) {
    case Type::i8:
    case Type::u8: return fill_as<std::int8_t>(to, count, seed, is_product);
    case Type::i16:
    case Type::u16: return fill_as<std::int16_t>(to, count, seed, is_product);
    case Type::i32:
    case Type::u32: return fill_as<std::int32_t>(to, count, seed, is_product);
    case Type::i64:
    case Type::u64: return fill_as<std::int64_t>(to, count, seed, is_product);
    case Type::f32: return fill_as<float>(to, count, seed, is_product);
    case Type::f64: return fill_as<double>(to, count, seed, is_product);
    case Type::f80: return fill_as<long double>(to, count, seed, is_product);
    case Type::c32: return fill_as<std::complex<float>>(to, count, seed, is_product);
    case Type::c64: return fill_as<std::complex<double>>(to, count, seed, is_product);
  }
}

std::size_t count_of(const Action& action, unsigned member) {  // a collect's members bring different numbers
  return action.kind == Kind::collect ? action.count * (member * 7 + action.seed) % 5 / 2 : action.count;
}

// How many elements the source of one member has, and its dest.
std::size_t source_count(const Action& action, std::size_t members, unsigned member) {
  switch (action.kind) {
    case Kind::alltoall: return action.count * members;
    case Kind::alltoalls: return action.count * members * static_cast<std::size_t>(action.source_stride);
    default: return count_of(action, member);
  }
}
std::size_t dest_count(const Action& action, std::size_t members) {
  switch (action.kind) {
    case Kind::sync: return 0;
    case Kind::collect: {
      std::size_t all = 0;
      for (unsigned member = 0; member < members; ++member) all += count_of(action, member);
      return all;
    }
    case Kind::fcollect:
    case Kind::alltoall: return action.count * members;
    case Kind::alltoalls: return action.count * members * static_cast<std::size_t>(action.dest_stride);
    default: return action.count;
  }
}

// What a member's dest is to be afterwards.
Bytes expected(const Action& action, const std::vector<int>& pes, unsigned me) {
  const std::size_t members = pes.size(), element = action.element, block = action.count * element;
  Bytes dest(dest_count(action, members) * element, kUntouched);
  std::vector<Bytes> sources;
  for (unsigned member = 0; member < members; ++member) {
    const std::size_t count = source_count(action, members, member);
    sources.emplace_back(count * element);
    fill(sources.back().data(), action, count, pes[member]);
  }
  if (action.in_place) dest = sources[me];
  std::size_t at = 0;
  const auto append = [&](const std::byte* from, std::size_t bytes) {
    if (bytes != 0) std::memcpy(dest.data() + at, from, bytes);
    at += bytes;
  };
  const auto fold = [&](unsigned terms) {
    if (terms == 0) std::fill(dest.begin(), dest.end(), std::byte{0});
    for (unsigned member = 0; member < terms; ++member) {
      if (member == 0) {
        dest = sources[0];
      } else {
        kernel_of(action.op, action.type).combine(dest.data(), dest.data(), sources[member].data(), action.count);
      }
    }
  };
  switch (action.kind) {
    case Kind::sync: break;
    case Kind::broadcast:
      if (me != action.root || action.write_root) dest = sources[action.root];
      break;
    case Kind::collect:
    case Kind::fcollect:
      for (const Bytes& source : sources) append(source.data(), source.size());
      break;
    case Kind::alltoall:
      for (const Bytes& source : sources) append(source.data() + me * block, block);
      break;
    case Kind::alltoalls:
      for (std::size_t member = 0; member < members; ++member) {
        for (std::size_t i = 0; i < action.count; ++i) {
          const std::size_t to = (member * action.count + i) * static_cast<std::size_t>(action.dest_stride);
          const std::size_t from = (me * action.count + i) * static_cast<std::size_t>(action.source_stride);
          std::memcpy(dest.data() + to * element, sources[member].data() + from * element, element);
        }
      }
      break;
    case Kind::reduce: fold(static_cast<unsigned>(members)); break;
    case Kind::inclusive_scan: fold(me + 1); break;
    case Kind::exclusive_scan: fold(me); break;
  }
  return dest;
}

void run(Group& group, const Action& action, std::byte* dest, std::byte* source) {
  const std::size_t bytes = count_of(action, group.me()) * action.element;
  const Reduction reduction{dest, source, action.count, action.op, action.type};
  switch (action.kind) {
    case Kind::sync: return sync(group);
    case Kind::broadcast: return broadcast(group, {dest, source, bytes, action.root, action.write_root});
    case Kind::collect: return collect(group, dest, source, bytes);
    case Kind::fcollect: return fcollect(group, dest, source, bytes);
    case Kind::alltoall: return alltoall(group, dest, source, bytes);
    case Kind::alltoalls:
      return alltoalls(group, {dest, source, action.dest_stride, action.source_stride, action.count, action.element});
    case Kind::reduce: return reduce(group, reduction);
    case Kind::inclusive_scan: return inclusive_scan(group, reduction);
    case Kind::exclusive_scan: return exclusive_scan(group, reduction);
  }
}

// An x87 long double has 10 bytes of 16 that say something.
void clear_padding(std::byte* data, std::size_t bytes, Type type) {
  if (type != Type::f80 || std::numeric_limits<long double>::digits != 64) return;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (i % sizeof(long double) >= 10) data[i] = std::byte{0};
  }
}

std::string describe(const Action& action) {
  return "kind " + std::to_string(static_cast<int>(action.kind)) + " group " + std::to_string(action.group) +
         " count " + std::to_string(action.count) + " type " + std::to_string(static_cast<int>(action.type)) + " op " +
         std::to_string(static_cast<int>(action.op)) + " root " + std::to_string(action.root) +
         (action.in_place ? " in place" : "");
}

}  // namespace

std::vector<std::vector<int>> any_groups(std::mt19937& random, int pes) {
  std::vector<int> world(static_cast<std::size_t>(pes));
  std::iota(world.begin(), world.end(), 0);
  std::vector<std::vector<int>> groups{world};
  for (int i = 0; i < 3; ++i) {
    std::vector<int> some = world;
    if (random() % 2 == 0) std::shuffle(some.begin(), some.end(), random);
    some.resize(1 + random() % some.size());
    groups.push_back(some);
  }
  return groups;
}

Action any_action(std::mt19937& random, const std::vector<std::vector<int>>& groups) {
  Action action;
  action.kind = static_cast<Kind>(random() % kKinds);
  action.group = random() % groups.size();
  const std::size_t members = groups[action.group].size();
  do {
    action.op = static_cast<Op>(random() % kOps);
    action.type = static_cast<Type>(random() % kTypes);
  } while (kernel_of(action.op, action.type).combine == nullptr);
  if (action.kind != Kind::reduce) action.op = Op::sum;
  action.element = kElementOf[static_cast<std::size_t>(action.type)];
  const std::size_t most[] = {1, 4, 40, 300, 3000, 20000};
  const std::size_t room = kBuffer / action.element / members / 4;
  action.count = std::min<std::size_t>(random() % (most[random() % 6] + 1), room);
  action.root = static_cast<unsigned>(random() % members);
  action.write_root = random() % 2 == 0;
  const bool can_be_in_place =
      action.kind == Kind::reduce || action.kind == Kind::inclusive_scan || action.kind == Kind::exclusive_scan;
  action.in_place = can_be_in_place && random() % 3 == 0;
  if (action.kind == Kind::alltoalls) {
    action.dest_stride = 1 + static_cast<std::ptrdiff_t>(random() % 3);
    action.source_stride = 1 + static_cast<std::ptrdiff_t>(random() % 2 * (random() % 12));
    action.count = std::min<std::size_t>(action.count, room / 4);
  }
  action.seed = static_cast<unsigned>(random() % 1000000);
  return action;
}

std::string act(Group& group, const std::vector<int>& pes, const Action& action, std::byte* heap) {
  std::byte* const dest = heap;
  std::byte* const source = action.in_place ? dest : heap + kBuffer;
  Bytes wanted = expected(action, pes, group.me());
  std::fill_n(dest, wanted.size(), kUntouched);
  fill(source, action, source_count(action, pes.size(), group.me()), pes[group.me()]);
  run(group, action, dest, source);
  clear_padding(dest, wanted.size(), action.type);
  clear_padding(wanted.data(), wanted.size(), action.type);
  std::size_t right = 0;
  while (right < wanted.size() && dest[right] == wanted[right]) ++right;
  if (right == wanted.size()) return "";
  return "PE " + std::to_string(pes[group.me()]) + ": " + describe(action) + ": byte " + std::to_string(right) +
         " of " + std::to_string(wanted.size()) + " is wrong";
}

}  // namespace weir::shmem::test
