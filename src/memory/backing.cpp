// SPDX-License-Identifier: Apache-2.0

#include "memory/backing.hpp"

#include <unistd.h>

#include <vector>

#include "platform/address_range.hpp"

namespace weir::memory {

const char* to_string(BackingKind kind) noexcept {
  switch (kind) {
    case BackingKind::anonymous: return "anonymous";
    case BackingKind::shared: return "shared";
    case BackingKind::file: return "file";
    case BackingKind::device: return "device";
    case BackingKind::remote: return "remote";
    case BackingKind::none: return "none";
  }
  return "?";
}

std::optional<Backing::Placement> place_pages(std::byte* data, std::size_t bytes, std::span<const int> os_nodes) {
  if (os_nodes.empty()) return std::nullopt;
  auto places = platform::places_of(data, {bytes}, os_nodes);
  if (places && places->elsewhere > 0 && os_nodes.size() == 1) {
    platform::move_to_node(data, {bytes}, os_nodes.front());
    places = platform::places_of(data, {bytes}, os_nodes);
  }
  if (!places) return std::nullopt;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return Backing::Placement{places->on_node * page, places->elsewhere * page, places->first_elsewhere};
}

namespace {

class Anonymous final : public Backing {
 public:
  Anonymous(platform::AddressRange range, std::span<const int> os_nodes)
      : range_(std::move(range)), os_nodes_(os_nodes.begin(), os_nodes.end()) {}

  BackingKind kind() const noexcept override { return BackingKind::anonymous; }
  Bytes size() const noexcept override { return range_.size(); }
  std::byte* data() const noexcept override { return range_.data(); }
  base::Status populate(std::uint64_t offset, std::size_t bytes) override { return range_.populate(offset, bytes); }
  bool prepare(std::uint64_t offset, std::size_t bytes) const noexcept override {
    return range_.prepare(offset, bytes);
  }
  void release(std::uint64_t offset, std::size_t bytes) noexcept override { range_.release(offset, bytes); }
  std::optional<Placement> place(std::uint64_t offset, std::size_t bytes) override {
    return place_pages(range_.data() + offset, bytes, os_nodes_);
  }
  Bytes in_large_pages(std::size_t bytes) const override { return range_.in_large_pages(bytes); }

 private:
  platform::AddressRange range_;
  std::vector<int> os_nodes_;
};

class Nothing final : public Backing {
 public:
  explicit Nothing(Bytes size) noexcept : size_(size) {}

  BackingKind kind() const noexcept override { return BackingKind::none; }
  Bytes size() const noexcept override { return size_; }
  base::Status populate(std::uint64_t, std::size_t) override { return base::Status::success(); }

 private:
  Bytes size_;
};

}  // namespace

base::Result<std::unique_ptr<Backing>> anonymous_backing(Bytes size, std::span<const int> os_nodes,
                                                         platform::PageSize page_size) {
  auto range = platform::AddressRange::reserve(size, os_nodes, page_size);
  if (!range) return range.status();
  return std::unique_ptr<Backing>(std::make_unique<Anonymous>(std::move(*range), os_nodes));
}

std::unique_ptr<Backing> no_backing(Bytes size) { return std::make_unique<Nothing>(size); }

}  // namespace weir::memory
