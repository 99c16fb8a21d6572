// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "base/check.hpp"
#include "shmem/group/blocks.hpp"
#include "shmem/group/collective.hpp"

namespace weir::shmem {
namespace {

struct ScanJob {
  Group& group;
  std::byte* dest;
  const std::byte* source;
  std::size_t count;
  Kernel kernel;
  bool is_inclusive;

  std::size_t bytes() const noexcept { return count * kernel.bytes; }
};

// Few members of one node, few bytes: each adds up the letters of those before it.
void scan_letters(const ScanJob& job) {
  Near& near = job.group.near();
  alignas(std::max_align_t) std::byte sum[kLetterBytes] = {};
  near.begin();
  near.post(job.source, job.bytes());
  const unsigned terms = near.me() + (job.is_inclusive ? 1 : 0);
  for (unsigned place = 0; place < terms; ++place) {
    const std::byte* const term = place == near.me() ? job.source : near.hear(place);
    if (place == 0) {
      std::memcpy(sum, term, job.bytes());
    } else {
      job.kernel.combine(sum, sum, term, job.count);
    }
  }
  std::memcpy(job.dest, sum, job.bytes());
  near.end();
}

// n elements from `first` on, of all members: a member's source is read before its dest, which may be the same, is
// written.
void scan_block(const ScanJob& job, std::size_t first, std::size_t n) {
  Group& group = job.group;
  const std::size_t bytes = n * job.kernel.bytes, offset = first * job.kernel.bytes;
  Block sums[2] = {}, buffer;
  std::byte* before = sums[0].bytes;  // of the members before this one: 0 at first
  std::byte* after = sums[1].bytes;   // with this one
  for (unsigned member = 0; member < group.size(); ++member) {
    const std::byte* const term = read_block(group, job.source + offset, member, bytes, buffer);
    if (member == 0) {
      std::memcpy(after, term, bytes);
    } else {
      job.kernel.combine(after, before, term, n);
    }
    write_block(group, job.dest + offset, member, job.is_inclusive ? after : before, bytes);
    if (group.has_far()) group.reach().quiet();  // the sums may be overwritten
    std::swap(before, after);
  }
}

void scan(const ScanJob& job) {
  Group& group = job.group;
  if (job.count == 0) return;
  const Meeting meeting(group.gathering(),
                        job.is_inclusive ? trace::PeMeet::inclusive_scan : trace::PeMeet::exclusive_scan, job.bytes());
  if (job.bytes() <= kLetterBytes && group.near().is_small() && !group.has_far()) {
    scan_letters(job);
    return;
  }
  sync(group);
  const Part part = part_of(job.count, job.kernel.bytes, group.me(), group.size());
  const std::size_t step = kBlockBytes / job.kernel.bytes;
  for (std::size_t i = part.begin; i < part.end; i += step) scan_block(job, i, std::min(step, part.end - i));
  sync(group);
}

ScanJob job_of(Group& group, const Reduction& what, bool is_inclusive) {
  WEIR_CHECK(what.op == Op::sum, "scans are sums");
  return {group,      static_cast<std::byte*>(what.dest), static_cast<const std::byte*>(what.source),
          what.count, kernel_of(Op::sum, what.type),      is_inclusive};
}

}  // namespace

void inclusive_scan(Group& group, const Reduction& what) { scan(job_of(group, what, true)); }

void exclusive_scan(Group& group, const Reduction& what) { scan(job_of(group, what, false)); }

}  // namespace weir::shmem
