// SPDX-License-Identifier: Apache-2.0

// Memory straight from the kernel, on a chosen NUMA node, and the question where pages really are.
//
// A node is preferred, not forced: a forced full node kills the process. So ask afterwards; share_on_node() does.
// Node numbers are the kernel's. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace weir::platform {

enum class PageSize : unsigned char { large, small };

// A private mapping of zeroed pages, which appear when first touched.
class Pages {
 public:
  // Large pages are a wish: transparent huge pages where the kernel has them, else small ones.
  // Fails with no_space when the address space or the memory limit does not allow it, with unsupported when a node is
  // asked for and the kernel forbids placement (some containers do).
  static base::Result<Pages> map(Bytes size, std::optional<int> os_node, PageSize page_size = PageSize::large);

  Pages(Pages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(other.size_) {}
  Pages& operator=(Pages&&) = delete;
  ~Pages();

  void* data() const noexcept { return data_; }
  Bytes size() const noexcept { return size_; }

 private:
  Pages(void* data, Bytes size) noexcept : data_(data), size_(size) {}

  void* data_;  // null only after a move
  Bytes size_;
};

// Which part of the touched pages in [data, data + size) is on `os_node`, 0 to 1, from at most 4096 pages spread over
// the range. Fails with unsupported when the kernel does not tell, and with not_found when no page was touched.
base::Result<double> share_on_node(const void* data, Bytes size, int os_node);

// The share from which memory counts as being on its node: a few pages may have gone elsewhere.
inline constexpr double kOnNode = 0.99;

// Where the pages of a range are, all of them.
struct PagePlaces {
  std::size_t on_node = 0;
  std::size_t elsewhere = 0;
  std::size_t absent = 0;           // not touched yet
  std::size_t first_elsewhere = 0;  // bytes from the start of the range to the first page elsewhere; its size if none
};

// Asks after every page of [data, data + size), of whole pages: 0.1 us each. On one of these nodes counts as on_node.
// Fails with unsupported when the kernel does not tell.
base::Result<PagePlaces> places_of(const void* data, Bytes size, std::span<const int> os_nodes);

// Prefers a node for pages of [data, data + size) that have not been touched; of several, page after page another one.
// Fails with unsupported where the kernel forbids it.
base::Status prefer_nodes(void* data, Bytes size, std::span<const int> os_nodes);

// Moves pages of [data, data + size) that are elsewhere to the node. The kernel drops file pages there to make room,
// and kills nobody for it; pages that find no room stay where they are. Ask places_of() afterwards.
void move_to_node(void* data, Bytes size, int os_node);

// Wishes for large pages, or small ones, in memory that has not been touched. Nothing where the kernel has no choice,
// or leaves none: of shared memory /sys/kernel/mm/transparent_hugepage/shmem_enabled says that.
void wish_for_pages(void* data, Bytes size, PageSize page_size) noexcept;

// What programs can get of one node: what is free or holds file pages, which the kernel may or may not give up, less
// what it keeps for itself (its low watermarks; below them it takes another node). 0 when it does not tell.
Bytes free_memory(int os_node);

// What is free on a node now, the kernel's own reserve included.
Bytes free_now(int os_node);

// Whether CPUs belong to a node; none when the kernel does not tell.
std::optional<bool> node_has_cpus(int os_node);

// All memory of the system.
Bytes total_memory();

}  // namespace weir::platform
