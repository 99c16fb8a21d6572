// SPDX-License-Identifier: Apache-2.0

#include "platform/uring_buffers.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace weir::platform {
namespace {

constexpr unsigned kMostBuffers = 1024;
constexpr std::size_t kBufferBytes = std::size_t{1} << 30;  // the kernel's limit for one

std::string reason(int error) {
  rlimit limit{};
  const bool limited = error == ENOMEM && getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (limited) return fmt::format("RLIMIT_MEMLOCK is {} KiB, raise it with ulimit -l", limit.rlim_cur / 1024);
  return std::generic_category().message(error);
}

}  // namespace

void UringBuffers::open() {
  const int result = io_uring_register_buffers_sparse(&ring_, kMostBuffers);
  if (result == 0) {
    buffers_.resize(kMostBuffers);
  } else {
    refusal_ = reason(-result);
  }
}

void UringBuffers::add(std::span<std::byte> memory) {
  while (!memory.empty()) {
    const auto part = memory.first(std::min(memory.size(), kBufferBytes));
    add_part(part);
    memory = memory.subspan(part.size());
  }
}

void UringBuffers::add_part(std::span<std::byte> memory) {
  const auto free = std::find_if(buffers_.begin(), buffers_.end(), [](auto buffer) { return buffer.empty(); });
  int result = 0;
  if (free == buffers_.end()) {
    if (!buffers_.empty()) refusal_ = fmt::format("{} ranges at most", kMostBuffers);
    result = -1;
  } else if (result = set(static_cast<unsigned>(free - buffers_.begin()), memory); result < 0) {
    refusal_ = reason(-result);
  } else {
    *free = memory;
  }
  if (result < 0) refused_bytes_ += memory.size();
}

void UringBuffers::remove(std::span<std::byte> memory) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    auto& buffer = buffers_[i];
    const bool overlaps =
        buffer.data() < memory.data() + memory.size() && memory.data() < buffer.data() + buffer.size();
    if (buffer.empty() || !overlaps) continue;
    set(static_cast<unsigned>(i), {});
    buffer = {};
  }
}

int UringBuffers::find(const std::byte* data, std::size_t bytes) const noexcept {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const auto& buffer = buffers_[i];
    if (data >= buffer.data() && data + bytes <= buffer.data() + buffer.size()) return static_cast<int>(i);
  }
  return -1;
}

std::string UringBuffers::report() const {
  std::uint64_t registered = 0;
  for (const auto& buffer : buffers_) registered += buffer.size();
  std::string text = fmt::format("{} MiB of memory registered", registered >> 20);
  if (refused_bytes_ > 0) text += fmt::format(", {} MiB not registered ({})", refused_bytes_ >> 20, refusal_);
  return text;
}

int UringBuffers::set(unsigned index, std::span<std::byte> memory) noexcept {
  const iovec part{memory.data(), memory.size()};
  const __u64 tag = 0;
  return io_uring_register_buffers_update_tag(&ring_, index, &part, &tag, 1);
}

}  // namespace weir::platform
