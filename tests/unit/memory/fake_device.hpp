// SPDX-License-Identifier: Apache-2.0

// A device's memory as tests have it: the processor cannot address it, and only its own engine copies from and to it.
#pragma once

#include <cstring>
#include <vector>

#include "memory/copy_engine.hpp"

namespace weir::memory {

class FakeDevice final : public Backing {
 public:
  explicit FakeDevice(std::size_t bytes) : size_{bytes}, full_at_(bytes) {}

  BackingKind kind() const noexcept override { return BackingKind::device; }
  Bytes size() const noexcept override { return size_; }
  std::string name() const override { return "fake0"; }
  base::Status populate(std::uint64_t offset, std::size_t bytes) override {
    if (offset + bytes > full_at_) return {base::Code::no_space, "the device is full"};
    if (hidden_.size() < offset + bytes) hidden_.resize(offset + bytes);
    return base::Status::success();
  }
  void refuse_beyond(std::size_t bytes) noexcept { full_at_ = bytes; }

 private:
  friend class FakeDeviceEngine;

  Bytes size_;
  std::size_t full_at_;
  std::vector<std::byte> hidden_;
};

// Between the device and memory of the processor, the program's own included, and between two places of the device.
class FakeDeviceEngine final : public CopyEngine {
 public:
  base::Status perform(Copy& copy) noexcept override {
    ++copies;
    std::vector<std::byte> on_its_way(copy.bytes);
    read(copy.from, on_its_way);
    write(copy.to, on_its_way);
    return base::Status::success();
  }
  int copies = 0;

 private:
  static std::byte* memory_of(const CopyEnd& end) {
    if (end.backing->kind() != BackingKind::device) return end.address();
    return static_cast<FakeDevice&>(*end.backing).hidden_.data() + end.offset;
  }
  static void read(const CopyEnd& end, std::vector<std::byte>& to) {
    if (end.backing == nullptr) return pack(to.data(), end.region);
    std::memcpy(to.data(), memory_of(end), to.size());
  }
  static void write(const CopyEnd& end, const std::vector<std::byte>& from) {
    if (end.backing == nullptr) return unpack(end.region, from.data());
    std::memcpy(memory_of(end), from.data(), from.size());
  }
};

}  // namespace weir::memory
