// SPDX-License-Identifier: Apache-2.0

#include "shmem/start/static_data.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "shmem/start/data_ranges.hpp"
#include "shmem/start/file_mapping.hpp"
#include "shmem/start/fork.hpp"
#include "shmem/start/stopped_threads.hpp"
#include "shmem/start/touched_pages.hpp"
#include "shmem/world/segments.hpp"

namespace weir::shmem {

namespace {

constexpr std::uint64_t kNoHash = 14695981039346656037u;
std::uint64_t hashed(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 1099511628211u; }  // FNV-1a

// PEs compare sizes only: addresses differ from PE to PE.
struct Shape {
  std::uint64_t ranges = 0, bytes = 0, hash = kNoHash;
  std::uint64_t constants = kNoHash;  // may differ: those of others are not read then

  bool has_same_data(const Shape& other) const noexcept {
    return ranges == other.ranges && bytes == other.bytes && hash == other.hash;
  }
};

Shape shape_of(const std::vector<SharedRange>& ranges, const std::vector<DataRange>& constants) {
  Shape shape;
  for (const DataRange& range : constants) shape.constants = hashed(shape.constants, range.size());
  for (const SharedRange& shared : ranges) {
    ++shape.ranges;
    shape.bytes += shared.range.size();
    shape.hash = hashed(shape.hash, shared.range.size());
  }
  return shape;
}

// Whether constants are, too.
bool check_equal_on_all(const Shape& mine) {
  const World& w = world();
  std::vector<Shape> all(static_cast<std::size_t>(w.n_pes));
  check(w.transport->all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all))));
  bool are_constants_equal = true;
  for (int pe = 0; pe < w.n_pes; ++pe) {
    const Shape& theirs = all[static_cast<std::size_t>(pe)];
    are_constants_equal = are_constants_equal && theirs.constants == all[0].constants;
    if (theirs.has_same_data(all[0])) continue;
    fail(fmt::format(
        "static data differ: {} bytes in {} pieces on PE 0, {} bytes in {} pieces on PE {}. All PEs must run "
        "the same program with the same libraries",
        all[0].bytes, all[0].ranges, theirs.bytes, theirs.ranges, pe));
  }
  return are_constants_equal;
}

// The data of this process, once they are shared; a second start moves them on. On the heap: what is being moved must
// not be written meanwhile.
SharedData& current() {
  static auto* const made = new SharedData;
  return *made;
}

// Where a range goes in the region.
struct Target {
  std::byte* copy;  // the same pages at another address
  int descriptor;
  std::uint64_t offset;  // in the descriptor
};

// Why a range could not be moved. It is named once the other threads run again: a text takes memory.
struct Failure {
  const DataRange* range = nullptr;  // null: there is none
  const char* call = "";
  int error = 0;
};

// Takes what a part of a range holds to its copy, once for each piece of it.
class Mover {
 public:
  Mover(const SharedRange& from, std::byte* to) noexcept : from_(from), to_(to), touched_(from.range.file_end) {}

  // Returns how many bytes from `done` on have been taken there. Where nothing was ever touched they are many at once.
  // 0: they cannot be read.
  std::size_t move(std::size_t done) noexcept {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    const std::span rest =
        std::span(reinterpret_cast<const std::byte*>(from_.range.begin), from_.range.size()).subspan(done);
    const std::size_t empty =
        before_ < 0 ? touched_.untouched(rest) : untouched(before_, from_.offset + done, rest.size());
    if (empty >= std::min(kPiece, rest.size())) return empty;
    const std::size_t bytes = std::min(kPiece, rest.size());
    if (before_ < 0)
      touched_.copy(rest.first(bytes), to_ + done);
    else if (!copy_touched(before_, from_.offset + done, {to_ + done, bytes}))
      return 0;
    return bytes;
  }

 private:
  const SharedRange& from_;
  std::byte* const to_;
  const int before_ = from_.is_shared ? current().descriptor : -1;
  TouchedPages touched_;
};

// Of a range: as much of it as is protected alike. The program may have protected pages of its data before the start:
// a guard behind an array that is a stack, tables that are not to be written any more.
struct Stretch {
  SharedRange from;
  std::size_t to = 0;  // bytes from the beginning of the region
};

std::vector<Mapping> all_mappings() {
  std::vector<Mapping> all;
  Mappings mappings;
  for (Mapping one; mappings.is_known() && mappings.next(one);) {
    const bool is_same = !all.empty() && all.back().end == one.begin && all.back().protection == one.protection;
    if (is_same)
      all.back().end = one.end;
    else
      all.push_back(one);
  }
  return all;
}

void add_stretch(std::vector<Stretch>& stretches, const SharedRange& shared, std::size_t to, const Mapping& mapping) {
  const std::size_t before = mapping.begin - shared.range.begin;
  Stretch& stretch = stretches.emplace_back(Stretch{shared, to + before});
  stretch.from.offset += before;
  stretch.from.range.begin = mapping.begin;
  stretch.from.range.end = mapping.end;
  stretch.from.range.protection = mapping.protection;
}

// In the order of the ranges, which get one place after another. A hole in a range stays one.
std::vector<Stretch> stretches_of(const std::vector<SharedRange>& ranges) {
  const std::vector<Mapping> mappings = all_mappings();
  std::vector<Stretch> stretches;
  std::size_t to = 0;
  for (const SharedRange& shared : ranges) {
    const DataRange& range = shared.range;
    if (mappings.empty()) add_stretch(stretches, shared, to, {range.begin, range.end, range.protection});
    for (const Mapping& one : mappings) {
      const Mapping common{std::max(one.begin, range.begin), std::min(one.end, range.end), one.protection};
      if (common.begin < common.end) add_stretch(stretches, shared, to, common);
    }
    to += range.size();
  }
  return stretches;
}

// Piece by piece, as another thread that cannot be stopped may write meanwhile: then what it writes to one piece
// between its copy and its change of pages is lost, and that time is short.
Failure move_to(const SharedRange& from, const Target& target) noexcept {
  const DataRange& range = from.range;
  const bool is_readable = (range.protection & PROT_READ) != 0;
  if (!is_readable && mprotect(reinterpret_cast<void*>(range.begin), range.size(), PROT_READ) != 0)
    return {&range, "mprotect", errno};
  Mover mover(from, target.copy);
  for (std::size_t done = 0, bytes = 0; done < range.size(); done += bytes) {
    bytes = mover.move(done);
    if (bytes == 0) return {&range, "read", errno};
    auto* const begin = reinterpret_cast<std::byte*>(range.begin) + done;
    void* const mapped = mmap(begin, bytes, range.protection, MAP_SHARED | MAP_FIXED, target.descriptor,
                              static_cast<off_t>(target.offset + done));
    if (mapped != begin) return {&range, "mmap", errno};
  }
  return {};
}

Failure move_all(const std::vector<Stretch>& stretches, const Target& to) {
  const StoppedThreads stopped;
  for (const Stretch& stretch : stretches) {
    const Failure failure = move_to(stretch.from, {to.copy + stretch.to, to.descriptor, to.offset + stretch.to});
    if (failure.range != nullptr) return failure;
  }
  return {};
}

void note_places(std::vector<SharedRange>& ranges, std::uint64_t offset) {
  for (SharedRange& shared : ranges) {
    shared.offset = offset;
    shared.is_shared = true;
    offset += shared.range.size();
  }
}

// Of this process now. A library may have been closed since an earlier start, and other memory, or that of the same
// library loaded again, may lie where its data were.
std::vector<SharedRange> ranges_to_share() {
  std::vector<SharedRange> ranges;
  for (DataRange& range : find_data_ranges()) {
    SharedRange& found = ranges.emplace_back(SharedRange{std::move(range), 0, false});
    for (const SharedRange& before : current().ranges) {
      const bool is_same = before.range.begin == found.range.begin && before.range.end == found.range.end;
      if (is_same && is_mapped_at(before.range.begin, current().descriptor, before.offset)) found = before;
    }
  }
  return ranges;
}

}  // namespace

void share_static_data() {
  World& w = world();
  std::vector<SharedRange> ranges = ranges_to_share();
  const std::vector<DataRange> read_only = find_constant_ranges();
  const Shape shape = shape_of(ranges, read_only);
  if (check_equal_on_all(shape)) {
    std::vector<Constants> constants;
    constants.reserve(read_only.size());
    for (const DataRange& range : read_only) constants.push_back({range.begin, range.size()});
    set_constants(std::move(constants));
  }
  if (shape.bytes == 0) return;
  auto region = w.transport->make_region({.size = {shape.bytes}, .os_nodes = {}, .name = "static data"});
  check(region.status());
  const transport::Transport::Descriptor file = w.transport->descriptor(region->id);
  const int descriptor = file.number < 0 ? -1 : fcntl(file.number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor < 0)
    fail(fmt::format("static data cannot be shared over {}: it gives no memory to map once more", w.transport->name()));
  const std::vector<Stretch> stretches = stretches_of(ranges);
  if (const Failure failed = move_all(stretches, {region->data, descriptor, file.offset}); failed.range != nullptr)
    fail(fmt::format("static data of {} cannot be shared: {}: {}", failed.range->object, failed.call,
                     std::strerror(failed.error)));
  note_places(ranges, file.offset);
  for (const SharedRange& shared : ranges) {
    add_segment(*region, shared.offset - file.offset, reinterpret_cast<std::byte*>(shared.range.begin),
                shared.range.size_with(own_variables()), "static data of " + shared.range.object);
  }
  if (current().descriptor >= 0) ::close(current().descriptor);
  current() = {descriptor, std::move(ranges)};
  keep_private_in_children(current());
}

}  // namespace weir::shmem
