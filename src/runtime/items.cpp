// SPDX-License-Identifier: Apache-2.0

// What is said of ranges of items that do not fit: what include/weir/items.hpp declares.
#include "weir/items.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "deps/conflict.hpp"
#include "weir/detail/run_time_footprint.hpp"
#include "weir/error.hpp"

namespace weir::detail {

namespace {

[[noreturn]] void end_with(const std::string& message) noexcept {
  std::fputs(fmt::format("weir: {}\n", message).c_str(), stderr);
  std::abort();
}

const char* what_is(const Access& item) noexcept {
  switch (item.storage) {
    case Storage::block: return "a block";
    case Storage::tile_1d: return "a tile of an array of 1 dimension";
    case Storage::tile_2d: return "a tile of an array of 2 dimensions";
    case Storage::tile_3d: return "a tile of an array of 3 dimensions";
    case Storage::program: break;
  }
  return item.region.rows == 1 ? "an object or range" : "a section of several rows";
}

const char* fitting_view(const Access& item) noexcept {
  if (item.storage == Storage::tile_3d) return "view3d() gives it, of elements of the array's type";
  if (item.storage == Storage::tile_2d || item.region.rows != 1)
    return "view() gives it, of elements of the array's type";
  return "span() gives it, of elements of the type that it has";
}

}  // namespace

void throw_reduction_in_range() {
  throw Error(
      "a range of items has a reduction; name it in spawn() itself, so that the task is given its private copy");
}

void no_such_item(std::size_t index, std::size_t size) noexcept {
  end_with(fmt::format("a task asks for item {} of a range that has {}", index, size));
}

void wrong_view(const Access& item, std::size_t index, const AskedView& asked) noexcept {
  const std::size_t bytes = item.is_block() ? block_of(item)->bytes : item.region.rows * item.region.row_bytes;
  const char* const mode = deps::name_of(item.mode);
  if (asked.writes && !writes(item.mode))
    end_with(
        fmt::format("item {} of a range is {} in mode {}, asked for as {} of elements that may be written: name it "
                    "inout, or ask for const elements",
                    index, what_is(item), mode, asked.type));
  end_with(fmt::format("item {} of a range is {} of {} bytes in mode {}, asked for as {} of elements of {} bytes: {}",
                       index, what_is(item), bytes, mode, asked.type, asked.element_bytes, fitting_view(item)));
}

Access access_of(const KeptItem& kept, bool has_rows) noexcept {
  const Mode mode = kept.mode();
  if (kept.storage() != Storage::program) {
    Access access = block_access(const_cast<BlockBase*>(kept.block()), mode);
    access.storage = kept.storage();
    if (kept.storage() != Storage::block) access.identity = kept.base;
    return access;
  }
  Access access{{kept.base, kept.row_bytes(), 1, 0}, nullptr, nullptr, nullptr, mode};
  if (!has_rows) return access;
  const KeptRows& form = *reinterpret_cast<const KeptRows*>(&kept + 1);
  access.region.rows = form.rows();
  if (form.watched())
    access.partition = static_cast<const Partition*>(form.partition_or_stride);
  else
    access.region.stride_bytes = reinterpret_cast<std::uintptr_t>(form.partition_or_stride);
  return access;
}

}  // namespace weir::detail
