// SPDX-License-Identifier: Apache-2.0

#include "island/segment.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "memory/node_numbers.hpp"
#include "platform/pages.hpp"

namespace weir::island {

namespace {

using base::Code;
using base::Status;
using memory::SharedBacking;

// What kind of thing a name is of; makes a file where there is none.
base::Result<SharedBacking::Config> config_of(const Segment& segment) {
  SharedBacking::Config config;
  config.size = segment.size;
  config.name = segment.file;
  config.address = segment.address;
  if (segment.file.empty()) return config;
  config.source = SharedBacking::Source::file;
  struct stat found {};
  if (stat(segment.file.c_str(), &found) != 0) {
    if (errno == ENOENT && !segment.attach) return config;
    return Status{Code::bad_option, fmt::format("island_segment={}: it cannot be looked at: {}", segment.file,
                                                std::generic_category().message(errno))};
  }
  config.create = false;
  config.may_grow = !segment.attach;
  if (S_ISCHR(found.st_mode)) config.source = SharedBacking::Source::dax;
  if (S_ISCHR(found.st_mode) || S_ISREG(found.st_mode)) return config;
  return Status{Code::bad_option,
                fmt::format("island_segment={}: it is neither a file nor a device of /dev/dax, and nothing "
                            "else can be mapped by several processes",
                            segment.file)};
}

// A file with holes whose system has no room to fill them would end a process by a signal when it writes there.
Status check_room(const SharedBacking& backing, const Segment& segment) {
  struct stat file {};
  struct statvfs system {};
  if (fstat(backing.descriptor(), &file) != 0 || fstatvfs(backing.descriptor(), &system) != 0 || system.f_blocks == 0)
    return Status::success();
  const std::uint64_t there = static_cast<std::uint64_t>(file.st_blocks) * 512;
  const std::uint64_t needed = backing.size().count - std::min(backing.size().count, there);
  const std::uint64_t free = static_cast<std::uint64_t>(system.f_bavail) * system.f_frsize;
  if (needed <= free) return Status::success();
  return {Code::no_space,
          fmt::format("island_segment={}: {} MiB are needed, of which the file has {} MiB, and its file "
                      "system has {} MiB free; ask for less (island_heap), or take another place",
                      segment.file, backing.size().count >> 20, there >> 20, free >> 20)};
}

// Before the pages are there: a page lies where its first toucher's policy says.
Status place(const SharedBacking& backing, const Segment& segment) {
  if (segment.os_nodes.empty()) return Status::success();
  for (std::size_t at = 0, stripe = 0; at < backing.size().count; at += segment.stripe, ++stripe) {
    const std::size_t bytes = std::min<std::size_t>(segment.stripe, backing.size().count - at);
    const int node = segment.os_nodes[stripe % segment.os_nodes.size()];
    const Status placed = platform::prefer_nodes(backing.data() + at, {bytes}, {&node, 1});
    if (placed) continue;
    return {placed.code,
            fmt::format("island_nodes: stripe {} of {} KiB: {}; weir topo lists the nodes, and larger stripes "
                        "(island_stripe) take fewer mappings",
                        stripe, segment.stripe >> 10, placed.message)};
  }
  return Status::success();
}

Status check(const Segment& segment, const SharedBacking& backing) {
  if (segment.os_nodes.empty() || segment.stripe % backing.granule() == 0) return Status::success();
  return {Code::bad_option,
          fmt::format("island_stripe={} KiB: the pages of island_segment={} have {} KiB, and a page lies on "
                      "one node",
                      segment.stripe >> 10, segment.file, backing.granule() >> 10)};
}

}  // namespace

base::Result<Segment> Segment::from(const Options& options) {
  auto nodes = memory::node_numbers("island_nodes", options.island_nodes);
  if (!nodes) return nodes.status();
  Segment segment{
      {}, options.island_segment, std::move(*nodes), 1, static_cast<std::size_t>(options.island_stripe) << 10};
  if (!std::has_single_bit(segment.stripe)) {
    return Status{Code::bad_option,
                  fmt::format("island_stripe={}: a power of two is needed, as {} or {}", options.island_stripe,
                              std::bit_floor(segment.stripe) >> 10, std::bit_ceil(segment.stripe) >> 10)};
  }
  const auto controllers = static_cast<std::size_t>(options.island_controllers);
  if (controllers != 0 && !segment.os_nodes.empty() && controllers != segment.os_nodes.size()) {
    return Status{Code::bad_option,
                  fmt::format("island_controllers={} and island_nodes={} say two things: with nodes, each "
                              "of them is a controller",
                              controllers, options.island_nodes)};
  }
  segment.places = std::max<std::size_t>(1, std::max(controllers, segment.os_nodes.size()));
  return segment;
}

base::Result<std::unique_ptr<SharedBacking>> map_segment(const Segment& segment) {
  auto config = config_of(segment);
  if (!config) return config.status();
  const bool device = config->source == SharedBacking::Source::dax;
  if (device && !segment.os_nodes.empty()) {
    return Status{Code::bad_option, fmt::format("island_nodes cannot place memory of a device, {}: it is where it is; "
                                                "island_controllers says how many it has",
                                                segment.file)};
  }
  auto backing = SharedBacking::open(*config);
  if (!backing) {
    const bool no_room = backing.status().code == base::Code::no_space;
    return Status{
        backing.status().code,
        fmt::format("cannot map {} MiB for islands: {}; {}", segment.size.count >> 20, backing.status().message,
                    no_room ? "ask for less (island_heap), or allow more (ulimit -v, "
                              "/proc/sys/vm/overcommit_memory)"
                            : "island_segment names the file: one in a folder that can be written to")};
  }
  if (segment.attach) return backing;
  if (!segment.keeps_name) (*backing)->remove_name();
  // A task's tile of a large array is a little of many pages: with small ones each row of it is one to look up.
  if (segment.file.empty()) platform::wish_for_pages((*backing)->data(), (*backing)->size(), platform::PageSize::large);
  Status status = check(segment, **backing);
  if (status && !segment.file.empty() && !device) status = check_room(**backing, segment);
  if (status) status = place(**backing, segment);
  if (!status) return status;
  return backing;
}

}  // namespace weir::island
