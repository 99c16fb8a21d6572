// SPDX-License-Identifier: Apache-2.0

// SharedBacking: memory that several processes map. Offsets mean the same in all of them, addresses need not.
//
// It begins at a multiple of 2 MiB in each process, or of its page size where that is larger, so alignment of offsets
// up to that is alignment of addresses; beyond it where Alignment asks for more and there are addresses for it. Its
// memory is zeros where it was never written. Pages appear when they are touched, or by populate(), which gives memory
// or an error and never a signal later. As Backing says of threads; several processes may populate the same range.
//
//   inherited  nameless; children forked later have it at the same address
//   memfd      nameless; another process maps it by descriptor(), which it inherits or is sent
//   posix      by a name of shm_open(), "/weir-heap": one process creates it, the others attach
//   file       an ordinary file: one process creates it, or all attach to one that is there; on hugetlbfs its size is
//              rounded up to large pages, which are set aside when it is mapped
//   dax        /dev/dax: memory of a device that the kernel does not manage; attached only; its size is rounded up to
//              what the device maps at a time
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "memory/backing.hpp"

namespace weir::memory {

// Gives pages to a range of mapped memory that lies at `offset` of a descriptor (-1: there is none): 0, or what the
// system said. Memory or an error, and never a signal later.
int populate_shared(int descriptor, std::uint64_t offset, std::byte* data, std::size_t bytes) noexcept;

class SharedBacking final : public Backing {
 public:
  // The byte at offset `at`, a multiple of 2 MiB, lies at a multiple of `bytes`, a power of two, where there is such a
  // range of addresses; elsewhere at one of 2 MiB, and that is no failure.
  struct Alignment {
    std::uint64_t bytes, at;
  };
  enum class Source : std::uint8_t { inherited, memfd, posix, file, dax };
  struct Config {
    Source source = Source::inherited;
    std::string name;              // posix, file, dax; of a memfd only for people
    Bytes size;                    // rounded up to 4096; 0 when attaching: what is there
    bool create = true;            // posix, file: makes it, and removes the name at the end; else attaches
    bool may_grow = false;         // where it attaches: what is empty becomes as large as `size`
    std::vector<int> os_nodes;     // the kernel's numbers; none: wherever the kernel puts it
    std::byte* address = nullptr;  // where it is to begin; null: anywhere
    Alignment alignment{};         // of a place anywhere
  };

  // Reserves, and gives no memory yet. Fails with no_space when the system has no such range of addresses or the limit
  // on file sizes forbids it, bad_option when the name is in use or is not of such a kind, not_found when nothing is
  // there to attach to, unsupported when the kernel forbids placement, io_error with what the system said.
  static base::Result<std::unique_ptr<SharedBacking>> open(const Config& config);
  // Attaches to what another process's descriptor() is for; takes the descriptor.
  static base::Result<std::unique_ptr<SharedBacking>> attach(int descriptor, std::string name,
                                                             Alignment alignment = {});
  ~SharedBacking() override;

  BackingKind kind() const noexcept override { return BackingKind::shared; }
  Bytes size() const noexcept override { return size_; }
  std::byte* data() const noexcept override { return data_; }
  std::string name() const override { return name_; }
  // When it fails, pages that came before stay: another process may have written to them.
  base::Status populate(std::uint64_t offset, std::size_t bytes) override;
  bool prepare(std::uint64_t offset, std::size_t bytes) const noexcept override;
  // The pages are gone for all processes, which read zeros then. Memory of /dev/dax stays.
  void release(std::uint64_t offset, std::size_t bytes) noexcept override;
  bool takes_system_memory() const noexcept override { return source_ != Source::dax; }
  std::optional<Placement> place(std::uint64_t offset, std::size_t bytes) override;

  int descriptor() const noexcept { return fd_; }  // -1: inherited
  // What is mapped at a time: the size of its pages, or what a device of /dev/dax is aligned to.
  std::size_t granule() const noexcept { return granule_; }
  // They are set aside when it is mapped.
  bool has_large_pages() const noexcept { return large_pages_; }
  // Of what this process made: nobody can attach by its name any more, and nothing is left when the processes have
  // ended, however they do.
  void remove_name() noexcept;

 private:
  SharedBacking(Source source, std::string name, int fd) noexcept : source_(source), name_(std::move(name)), fd_(fd) {}
  base::Status open_descriptor(const Config& config);
  base::Status open_device();
  bool is_empty() const noexcept;
  base::Status make_size(Bytes size, bool create);
  base::Status map(const Config& config);
  base::Status reserve_addresses(const Config& config);
  bool reserve_aligned(Alignment alignment) noexcept;
  base::Status no_addresses(int error) const;
  base::Status cannot_map(int error) const;
  base::Status failed(const char* what, int error) const;

  Source source_;
  std::string name_;
  int fd_;
  std::size_t granule_ = 4096;
  bool large_pages_ = false;  // of hugetlbfs
  int name_of_process_ = -1;  // which one removes the name at the end, not those that it forks
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  std::byte* data_ = nullptr;
  Bytes size_;
  std::vector<int> os_nodes_;
};

}  // namespace weir::memory
