// SPDX-License-Identifier: Apache-2.0

// What operations of the transport take between the first rank and the last one: lines "NAME VALUE". The last rank
// waits in a barrier meanwhile. 8 bytes: microseconds for one; 1 MiB: MB/s of kWindow of them at a time.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "transport/open_transport.hpp"

namespace {

using namespace weir::transport;  // NOLINT(google-build-using-namespace)
using weir::Rank;
using weir::base::Status;

constexpr std::size_t kLarge = 1 << 20, kWindow = 16;
constexpr int kWarm = 50, kSmallTimes = 500, kLargeTimes = 8;

void check(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "link_bench: %s\n", status.message.c_str());
  std::exit(1);
}

double seconds(int times, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / times;
}

void small(const char* name, const std::function<void()>& work) {
  seconds(kWarm, work);
  std::printf("%s %.3f\n", name, 1e6 * seconds(kSmallTimes, work));
}

void large(const char* name, const std::function<void(std::size_t)>& one, Channel& channel) {
  const auto work = [&] {
    for (std::size_t i = 0; i < kWindow; ++i) one(i);
    check(channel.quiet());
  };
  seconds(2, work);
  std::printf("%s %.1f\n", name, kWindow * kLarge / 1e6 / seconds(kLargeTimes, work));
}

void measure(Transport& transport, const Region& region) {
  const auto channel = transport.open_channel();
  std::vector<std::byte> local(kLarge * kWindow, std::byte{1});
  const auto at = [&](std::size_t offset) { return Location{Rank{transport.ranks() - 1}, region.id, offset}; };
  small("put_8", [&] {
    check(channel->put(at(0), local.data(), 8));
    check(channel->quiet());
  });
  small("get_8", [&] { check(channel->get(local.data(), at(0), 8)); });
  small("fetch_add", [&] { check(channel->atomic(at(0), AtomicOp::fetch_add, AtomicWidth::bits64, 1).status()); });
  large(
      "put_1M", [&](std::size_t i) { check(channel->put_nbi(at(i * kLarge), &local[i * kLarge], kLarge)); }, *channel);
  large(
      "get_1M", [&](std::size_t i) { check(channel->get_nbi(&local[i * kLarge], at(i * kLarge), kLarge)); }, *channel);
}

}  // namespace

int main() {
  const auto job = weir::launch::job_from_environment();
  auto transport = job ? open_transport(*job) : job.status();
  check(transport.status());
  auto region = (*transport)->make_region({.size = {kLarge * kWindow}});
  check(region.status());
  for (std::size_t i = 0; i < region->size.count; i += 4096) region->data[i] = std::byte{1};
  check((*transport)->barrier());
  if ((*transport)->rank() == Rank{0}) measure(**transport, *region);
  check((*transport)->barrier());
  check((*transport)->leave());
  return 0;
}
