// SPDX-License-Identifier: Apache-2.0

#include "transport/region_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <system_error>
#include <utility>
#include <vector>

#include "memory/range_allocator.hpp"
#include "memory/shared_backing.hpp"
#include "memory/tier_spec.hpp"
#include "platform/pages.hpp"

namespace weir::transport {

namespace {

constexpr std::uint64_t kLargePage = std::uint64_t{2} << 20;

class Piece final : public memory::Backing {
 public:
  Piece(std::byte* data, Bytes size, Transport::Descriptor descriptor, std::span<const int> os_nodes, std::string name)
      : data_(data),
        size_(size),
        descriptor_(descriptor),
        os_nodes_(os_nodes.begin(), os_nodes.end()),
        name_(std::move(name)) {}

  memory::BackingKind kind() const noexcept override { return memory::BackingKind::shared; }
  Bytes size() const noexcept override { return size_; }
  std::byte* data() const noexcept override { return data_; }
  std::string name() const override { return name_; }
  base::Status populate(std::uint64_t offset, std::size_t bytes) override {
    const int error = give_pages(offset, bytes);
    if (error == 0) return base::Status::success();
    return {base::Code::no_space, fmt::format("{}: there is no memory for {} more: {}", name_,
                                              memory::size_text({bytes}), std::generic_category().message(error))};
  }
  bool prepare(std::uint64_t offset, std::size_t bytes) const noexcept override {
    return give_pages(offset, bytes) == 0;
  }
  void release(std::uint64_t offset, std::size_t bytes) noexcept override {
    static_cast<void>(madvise(data_ + offset, bytes, MADV_REMOVE));
  }
  std::optional<Placement> place(std::uint64_t offset, std::size_t bytes) override {
    return memory::place_pages(data_ + offset, bytes, os_nodes_);
  }

 private:
  int give_pages(std::uint64_t offset, std::size_t bytes) const noexcept {
    return memory::populate_shared(descriptor_.number, descriptor_.offset + offset, data_ + offset, bytes);
  }

  std::byte* data_;
  Bytes size_;
  Transport::Descriptor descriptor_;
  std::vector<int> os_nodes_;
  std::string name_;
};

}  // namespace

base::Result<std::unique_ptr<RegionMemory>> RegionMemory::make(Transport& transport, Bytes size) {
  auto region = transport.make_region({.size = size, .name = "tiers"});
  if (!region) {
    base::Status status = region.status();
    if (status.code == base::Code::no_space) status.message += " (--tiers, WEIR_TIERS)";
    return status;
  }
  return std::unique_ptr<RegionMemory>(new RegionMemory(*region, transport.descriptor(region->id)));
}

base::Result<std::unique_ptr<memory::Backing>> RegionMemory::cut(Bytes size, std::span<const int> os_nodes,
                                                                 const std::string& name) {
  const std::uint64_t rounded = memory::RangeAllocator::rounded(size.count, kLargePage);
  std::uint64_t offset = 0;
  {
    const base::Lock lock(mutex_);
    if (region_.size.count - cut_ < rounded) {
      return base::Status{
          base::Code::no_space,
          fmt::format("{}: {} for tiers of ranks, of which all on this host have at most {} each: ask for less", name,
                      memory::size_text(size), memory::size_text(region_.size))};
    }
    offset = std::exchange(cut_, cut_ + rounded);
  }
  std::byte* const data = region_.data + offset;
  if (!os_nodes.empty()) {
    if (base::Status status = platform::prefer_nodes(data, {rounded}, os_nodes); !status) return status;
  }
  Transport::Descriptor descriptor = descriptor_;
  descriptor.offset += offset;
  return std::unique_ptr<memory::Backing>(std::make_unique<Piece>(data, size, descriptor, os_nodes, name));
}

}  // namespace weir::transport
