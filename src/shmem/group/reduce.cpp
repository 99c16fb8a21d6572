// SPDX-License-Identifier: Apache-2.0

#include <vector>

#include "base/check.hpp"
#include "shmem/group/blocks.hpp"
#include "shmem/group/collective.hpp"

namespace weir::shmem {
namespace {

struct ReduceJob {
  Group& group;
  std::byte* dest;
  const std::byte* source;
  std::size_t count;
  Kernel kernel;

  std::size_t bytes() const noexcept { return count * kernel.bytes; }
};

struct alignas(std::max_align_t) Few {
  std::byte bytes[kLetterBytes];
};

// All members of this node, in their order.
void fold_letters(const ReduceJob& job, Few& result) {
  Near& near = job.group.near();
  const auto text_of = [&](unsigned place) { return place == near.me() ? job.source : near.hear(place); };
  copy_small(result.bytes, text_of(0), job.bytes());
  for (unsigned place = 1; place < near.size(); ++place) {
    job.kernel.combine(result.bytes, result.bytes, text_of(place), job.count);
  }
}

void fold_nodes(const ReduceJob& job, Few& result) {
  Far& far = job.group.far();
  std::vector<Few> all((far.nodes() * job.bytes() + sizeof(Few) - 1) / sizeof(Few));
  std::byte* const texts = all.front().bytes;
  far.exchange(result.bytes, job.bytes(), texts);
  std::memcpy(result.bytes, texts, job.bytes());
  for (unsigned node = 1; node < far.nodes(); ++node) {
    job.kernel.combine(result.bytes, result.bytes, texts + node * job.bytes(), job.count);
  }
}

// What fits a letter. A few members hear one another; more, and those of several nodes, hear their leader.
void reduce_few(const ReduceJob& job) {
  Near& near = job.group.near();
  Few result;
  if (near.is_small() && !job.group.has_far()) {
    near.begin();
    near.post(job.source, job.bytes());
    fold_letters(job, result);
    near.all_have_begun();
    copy_small(job.dest, result.bytes, job.bytes());
    near.end();
    return;
  }
  near.gather(job.source, job.bytes());
  if (job.group.is_leader()) {
    fold_letters(job, result);
    if (job.group.has_far()) fold_nodes(job, result);
  }
  copy_small(job.dest, near.release(result.bytes, job.bytes()), job.bytes());
  near.end();
}

// One of as many parts as there are members: of the sources of this node, into the dests of all of them, or of their
// leader. What is read of a source, only this part writes in a dest, afterwards: source and dest may be the same.
void reduce_part(const ReduceJob& job, unsigned which, bool leader_only) {
  Group& group = job.group;
  const unsigned members = group.near().size();
  const Part part = part_of(job.count, job.kernel.bytes, which, members);
  const std::size_t step = kBlockBytes / job.kernel.bytes;
  Block sum;
  for (std::size_t i = part.begin; i < part.end; i += step) {
    const std::size_t n = std::min(step, part.end - i), offset = i * job.kernel.bytes;
    const auto source = [&](unsigned place) {
      return group.source_at(job.source + offset, n * job.kernel.bytes, group.member_at(place));
    };
    if (members == 1) std::memcpy(sum.bytes, source(0), n * job.kernel.bytes);
    for (unsigned place = 1; place < members; ++place) {
      job.kernel.combine(sum.bytes, place == 1 ? source(0) : sum.bytes, source(place), n);
    }
    for (unsigned place = 0; place < (leader_only ? 1 : members); ++place) {
      std::memcpy(group.at(job.dest + offset, group.member_at(place)), sum.bytes, n * job.kernel.bytes);
    }
  }
}

// The leaders' dests, which have their nodes' results: each leader does its part of them for all.
void reduce_far(const ReduceJob& job) {
  constexpr std::size_t kFarBytes = std::size_t{1} << 16;
  Far& far = job.group.far();
  Reach& reach = job.group.reach();
  far.sync();
  const std::size_t element = job.kernel.bytes, step = kFarBytes / element;
  const Part part = part_of(job.count, element, far.me(), far.nodes());
  const std::size_t room = std::min(step, part.end - part.begin) * element;
  const std::size_t blocks = (room + sizeof(Block) - 1) / sizeof(Block);
  std::vector<Block> buffers(part.begin == part.end ? 0 : blocks * (far.nodes() + 1));
  for (std::size_t i = part.begin; i < part.end; i += step) {
    const std::size_t n = std::min(step, part.end - i);
    std::byte* const here = job.dest + i * element;
    const auto buffer = [&](unsigned node) { return buffers[node * blocks].bytes; };
    const auto text_of = [&](unsigned node) { return node == far.me() ? here : buffer(node); };
    for (unsigned node = 0; node < far.nodes(); ++node) {
      if (node != far.me()) reach.get_nbi(buffer(node), here, n * element, far.pe(node));
    }
    reach.quiet();  // of the puts of the block before, too
    std::byte* const sum = buffer(far.nodes());
    for (unsigned node = 1; node < far.nodes(); ++node) {
      job.kernel.combine(sum, node == 1 ? text_of(0) : sum, text_of(node), n);
    }
    std::memcpy(here, sum, n * element);
    for (unsigned node = 0; node < far.nodes(); ++node) {
      if (node != far.me()) reach.put_nbi(here, sum, n * element, far.pe(node));
    }
  }
  reach.quiet();
  far.sync();
}

// The leader's dest, to the others of its node.
void copy_from_leader(const ReduceJob& job) {
  Near& near = job.group.near();
  near.begin();
  if (job.group.is_leader()) {
    near.post(nullptr, 0);
    near.wait_for_end();
  } else {
    near.hear(0);
    std::memcpy(job.dest, job.group.at(job.dest, job.group.member_at(0)), job.bytes());
  }
  near.end();
}

void reduce_many(const ReduceJob& job) {
  Near& near = job.group.near();
  const bool has_far = job.group.has_far();
  near.sync();
  if (near.takes_turns()) {
    near.share_out(near.size(), [&](unsigned which) { reduce_part(job, which, has_far); });
  } else {
    reduce_part(job, near.me(), has_far);
    near.sync();
  }
  if (!has_far) return;
  if (job.group.is_leader()) reduce_far(job);
  copy_from_leader(job);
}

}  // namespace

void reduce(Group& group, const Reduction& what) {
  if (what.count == 0) return;
  const Kernel& kernel = kernel_of(what.op, what.type);
  WEIR_CHECK(kernel.combine != nullptr, "a reduction of a type that has no such operation");
  const Meeting meeting(group.gathering(), trace::PeMeet::reduce, what.count * kernel.bytes);
  const ReduceJob job{group, static_cast<std::byte*>(what.dest), static_cast<const std::byte*>(what.source), what.count,
                      kernel};
  if (job.bytes() <= kLetterBytes) {
    reduce_few(job);
  } else {
    reduce_many(job);
  }
}

}  // namespace weir::shmem
