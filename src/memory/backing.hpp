// SPDX-License-Identifier: Apache-2.0

// Backing: what stands behind the offsets of a space. Chosen once, when an arena is made.
//
// A backing brings memory for ranges of offsets, and says whether the processor can address it and where its pages are.
// It keeps no books of what is in use: a space does. Copies from and to it go through the copy engine of a pair of
// backings (copy_engine.hpp). Owned by its arena. At any time on any thread, but for one thread at a time for each
// range: populate(), prepare(), release() and place() (pages_ahead.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "platform/pages.hpp"

namespace weir::memory {

enum class BackingKind : std::uint8_t {
  anonymous,  // private memory of this process
  shared,     // memory that other processes map, too
  file,       // read and written, never addressed
  device,     // memory of a device
  remote,     // memory of another process, reached by messages
  none,       // nothing: offsets are given out for a simulation
};
inline constexpr std::size_t kBackingKinds = 6;
const char* to_string(BackingKind kind) noexcept;

class Backing {
 public:
  Backing() = default;
  Backing(const Backing&) = delete;
  Backing& operator=(const Backing&) = delete;
  virtual ~Backing() = default;

  virtual BackingKind kind() const noexcept = 0;
  // How many offsets there are. A multiple of 4096.
  virtual Bytes size() const noexcept = 0;
  // Offset 0, where the processor can address the memory; else null.
  virtual std::byte* data() const noexcept { return nullptr; }
  std::byte* address(std::uint64_t offset) const noexcept { return data() == nullptr ? nullptr : data() + offset; }
  // For messages: "hbm0", "/dev/shm/weir-heap".
  virtual std::string name() const { return to_string(kind()); }

  // Gives [offset, offset + bytes), of whole pages, memory: returns when it is there. Fails with no_space when the
  // system refuses; the range has none then.
  virtual base::Status populate(std::uint64_t offset, std::size_t bytes) = 0;
  // Has the system prepare what populate() would be asked for, which need not be called then. False: it does not, or
  // not all of it, and release() gives back what has come.
  virtual bool prepare(std::uint64_t, std::size_t) const noexcept { return false; }
  // Takes the memory of a range back; what was in it is lost.
  virtual void release(std::uint64_t, std::size_t) noexcept {}
  // Whether what populate() gives comes out of the memory of this system, and counts in its limits.
  virtual bool takes_system_memory() const noexcept { return data() != nullptr; }

  // Where the pages of a range are, compared with the memory nodes that were asked for.
  struct Placement {
    std::size_t on_nodes = 0;         // bytes
    std::size_t elsewhere = 0;        // bytes
    std::size_t first_elsewhere = 0;  // offset in the range of the first page elsewhere; its length, if there is none
  };
  // Moves pages of the range to the nodes that were asked for, where that is possible, and says where they are now.
  // None when no node was asked for, or the system does not say.
  virtual std::optional<Placement> place(std::uint64_t, std::size_t) { return std::nullopt; }
  // How much of [0, bytes) is in large pages. Reads /proc, milliseconds.
  virtual Bytes in_large_pages(std::size_t) const { return {}; }

  // An emulated tier is memory whose copies are slowed down to this fraction of the memory's bandwidth; 0: it is not.
  double copy_fraction() const noexcept { return copy_fraction_; }
  void set_copy_fraction(double fraction) noexcept { copy_fraction_ = fraction; }

 private:
  double copy_fraction_ = 0;
};

// Private memory of this process. Its pages are on `os_nodes` (the kernel's numbers; none: wherever the kernel puts
// them; several: page by page in turn) if there is room. Reserves addresses only; starts at a multiple of 2 MiB.
// Fails with no_space when the address space is limited, with unsupported when the kernel forbids placement.
base::Result<std::unique_ptr<Backing>> anonymous_backing(Bytes size, std::span<const int> os_nodes,
                                                         platform::PageSize page_size);

// No memory at all: for simulations of machines with more memory than this one has.
std::unique_ptr<Backing> no_backing(Bytes size);

// For backings with data(): place() by what the kernel says of the pages at `data`.
std::optional<Backing::Placement> place_pages(std::byte* data, std::size_t bytes, std::span<const int> os_nodes);

}  // namespace weir::memory
