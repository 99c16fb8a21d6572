// SPDX-License-Identifier: Apache-2.0

#include "memory/shared_backing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

#include "memory/range_allocator.hpp"
#include "memory/tier_spec.hpp"
#include "platform/descriptor.hpp"
#include "platform/file_io.hpp"

namespace weir::memory {
namespace {

constexpr std::size_t kSmallPage = 4096, kLargePage = std::size_t{2} << 20;
constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which older headers do not have

// A number that the kernel has in a file; 0: it has none.
std::uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : 0;
}

// Of a device of /dev/dax, "size" or "align"; 0: `device` is none.
std::uint64_t dax_bytes(dev_t device, const char* what) {
  return number_in(fmt::format("/sys/dev/char/{}:{}/{}", major(device), minor(device), what));
}

// The size of the pages that a descriptor's file lies in, where it is one of hugetlbfs; else 0.
std::size_t large_page_of(int descriptor) {
  constexpr decltype(statfs::f_type) kHugetlbfs = 0x958458f6;
  struct statfs found {};
  return fstatfs(descriptor, &found) == 0 && found.f_type == kHugetlbfs ? std::size_t(found.f_bsize) : 0;
}

// For kernels before 5.14, and memory without a descriptor. An addition of nothing loses no write of another process.
void touch(std::byte* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kSmallPage) {
    __atomic_fetch_or(reinterpret_cast<unsigned char*>(data + at), 0, __ATOMIC_SEQ_CST);
  }
}

// Addresses without memory; MAP_FAILED: there are none. At `address`, or anywhere.
void* reserve_range(std::byte* address, std::size_t bytes) noexcept {
  const int fixed = address == nullptr ? 0 : MAP_FIXED_NOREPLACE;
  return mmap(address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
}

int interrupted(int result) noexcept { return result != 0 && (errno == EINTR || errno == EAGAIN); }

}  // namespace

// The descriptor first: it says that there is no space, where a page that cannot be had would be a signal.
int populate_shared(int descriptor, std::uint64_t offset, std::byte* data, std::size_t bytes) noexcept {
  if (descriptor >= 0) {
    const int error = platform::reserve_space(descriptor, offset, bytes);
    if (error != 0 && error != EOPNOTSUPP) return error;
  }
  int result = 0;
  do {
    result = madvise(data, bytes, kPopulateWrite);
  } while (interrupted(result));
  if (result == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno == EFAULT ? ENOSPC : errno;
  if (descriptor < 0) touch(data, bytes);
  return 0;
}

base::Status SharedBacking::failed(const char* what, int error) const {
  const auto code = error == ENOENT                                               ? base::Code::not_found
                    : error == ENOMEM || error == ENOSPC || error == EFBIG        ? base::Code::no_space
                    : error == EEXIST || error == EINVAL || error == ENAMETOOLONG ? base::Code::bad_option
                                                                                  : base::Code::io_error;
  return {code, fmt::format("shared memory {}: {}: {}", name_, what, std::generic_category().message(error))};
}

base::Result<std::unique_ptr<SharedBacking>> SharedBacking::open(const Config& config) {
  std::string name = config.name.empty() ? "without a name" : config.name;
  std::unique_ptr<SharedBacking> backing(new SharedBacking(config.source, std::move(name), -1));
  if (config.source != Source::inherited) {
    if (base::Status status = backing->open_descriptor(config); !status) return status;
  }
  const bool grows = config.may_grow && backing->is_empty();
  const bool attaches = config.source == Source::dax || (config.source >= Source::posix && !config.create && !grows);
  if (base::Status status = backing->make_size(config.size, !attaches); !status) return status;
  if (base::Status status = backing->map(config); !status) return status;
  return backing;
}

base::Result<std::unique_ptr<SharedBacking>> SharedBacking::attach(int descriptor, std::string name,
                                                                   Alignment alignment) {
  std::unique_ptr<SharedBacking> backing(new SharedBacking(Source::memfd, std::move(name), descriptor));
  if (base::Status status = backing->make_size({}, false); !status) return status;
  Config config;
  config.alignment = alignment;
  if (base::Status status = backing->map(config); !status) return status;
  return backing;
}

base::Status SharedBacking::open_descriptor(const Config& config) {
  const int create = config.create ? O_CREAT | O_EXCL : 0;
  switch (source_) {
    case Source::inherited: break;
    case Source::memfd: fd_ = memfd_create(config.name.c_str(), MFD_CLOEXEC); break;
    case Source::posix: fd_ = shm_open(config.name.c_str(), O_RDWR | O_CLOEXEC | create, 0600); break;
    case Source::file: fd_ = ::open(config.name.c_str(), O_RDWR | O_CLOEXEC | create, 0600); break;
    case Source::dax: return open_device();
  }
  fd_ = platform::above_standard(fd_);
  if (fd_ < 0 && source_ == Source::memfd)
    return failed("cannot be made by memfd_create(), which a container's seccomp profile may forbid", errno);
  if (fd_ < 0) {
    return failed(config.create ? "cannot be made; take another name if it is in use" : "cannot be attached to", errno);
  }
  if (config.create && source_ != Source::memfd) name_of_process_ = getpid();
  const std::size_t large = source_ == Source::file ? large_page_of(fd_) : 0;
  large_pages_ = large != 0;
  if (large_pages_) granule_ = large;
  return base::Status::success();
}

base::Status SharedBacking::open_device() {
  fd_ = platform::above_standard(::open(name_.c_str(), O_RDWR | O_CLOEXEC));
  if (fd_ < 0) return failed("cannot be opened", errno);
  struct stat found {};
  if (fstat(fd_, &found) == 0 && S_ISCHR(found.st_mode) && dax_bytes(found.st_rdev, "size") != 0) {
    granule_ = std::max<std::size_t>(kSmallPage, dax_bytes(found.st_rdev, "align"));
    return base::Status::success();
  }
  return {base::Code::bad_option,
          fmt::format("shared memory {}: it is no device of /dev/dax; `daxctl list` names those "
                      "that there are",
                      name_)};
}

bool SharedBacking::is_empty() const noexcept {
  struct stat found {};
  return fd_ >= 0 && fstat(fd_, &found) == 0 && S_ISREG(found.st_mode) && found.st_size == 0;
}

// Beyond the limit on file sizes a signal would end the process.
base::Status SharedBacking::make_size(Bytes size, bool create) {
  size_.count = RangeAllocator::rounded(size.count, granule_);
  if (size_.count < size.count) return failed("there is no such range of addresses", ENOMEM);
  if (create && size_.count == 0) return failed("a size is needed", EINVAL);
  if (source_ == Source::inherited) return base::Status::success();
  if (create) {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    if (size_.count > limit.rlim_cur) return failed("the limit on file sizes is smaller (ulimit -f)", EFBIG);
    return ftruncate(fd_, static_cast<off_t>(size_.count)) == 0 ? base::Status::success()
                                                                : failed("cannot be made that large", errno);
  }
  struct stat found {};
  if (fstat(fd_, &found) != 0) return failed("cannot be looked at", errno);
  const std::uint64_t there = source_ == Source::dax ? dax_bytes(found.st_rdev, "size") : std::uint64_t(found.st_size);
  if (size_.count == 0) size_.count = there / granule_ * granule_;
  if (size_.count != 0 && size_.count <= there) return base::Status::success();
  return {base::Code::no_space, fmt::format("shared memory {}: {} asked, {} there: ask for less, or wait until the "
                                            "process that makes it has done so",
                                            name_, size_text(size_), size_text({there}))};
}

base::Status SharedBacking::map(const Config& config) {
  if (base::Status status = reserve_addresses(config); !status) return status;
  // Large pages that are not set aside would be missed by a signal, when one is touched.
  const int reserve = large_pages_ ? 0 : MAP_NORESERVE;
  const int flags = MAP_SHARED | MAP_FIXED | reserve | (fd_ < 0 ? MAP_ANONYMOUS : 0);
  if (mmap(data_, size_.count, PROT_READ | PROT_WRITE, flags, fd_, 0) == MAP_FAILED) return cannot_map(errno);
  if (config.os_nodes.empty()) return base::Status::success();
  os_nodes_ = config.os_nodes;
  return platform::prefer_nodes(data_, size_, os_nodes_);
}

base::Status SharedBacking::reserve_addresses(const Config& config) {
  const std::size_t least = std::max(granule_, kLargePage);
  if (config.address == nullptr) {
    if (config.alignment.bytes > least && reserve_aligned(config.alignment)) return base::Status::success();
    return reserve_aligned({least, 0}) ? base::Status::success() : no_addresses(errno);
  }
  void* const reserved = reserve_range(config.address, size_.count);
  if (reserved == MAP_FAILED) return no_addresses(errno);
  mapping_ = reserved;
  mapped_ = size_.count;
  data_ = static_cast<std::byte*>(reserved);
  if (data_ == config.address) return base::Status::success();
  return failed("its place among the addresses is taken", EEXIST);  // by a kernel that takes the place for a wish
}

// What is reserved before and behind it for the sake of a large alignment goes back: a limit (ulimit -v) counts it.
bool SharedBacking::reserve_aligned(Alignment alignment) noexcept {
  std::size_t bytes = 0;
  if (__builtin_add_overflow(size_.count, alignment.bytes, &bytes)) {
    errno = ENOMEM;
    return false;
  }
  void* const reserved = reserve_range(nullptr, bytes);
  if (reserved == MAP_FAILED) return false;
  const std::size_t beyond = (reinterpret_cast<std::uintptr_t>(reserved) + alignment.at) % alignment.bytes;
  const std::size_t before = beyond == 0 ? 0 : alignment.bytes - beyond;
  data_ = static_cast<std::byte*>(reserved) + before;
  mapping_ = reserved;
  mapped_ = bytes;
  if (alignment.bytes <= std::max(granule_, kLargePage)) return true;
  if (before > 0) munmap(reserved, before);
  munmap(data_ + size_.count, alignment.bytes - before);
  mapping_ = data_;
  mapped_ = size_.count;
  return true;
}

base::Status SharedBacking::no_addresses(int error) const {
  base::Status status = failed("cannot be mapped", error);
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  if (error == ENOMEM && limit.rlim_cur != RLIM_INFINITY)
    status.message += fmt::format(" (ulimit -v is {})", size_text({limit.rlim_cur}));
  return status;
}

base::Status SharedBacking::cannot_map(int error) const {
  if (!large_pages_) return no_addresses(error);
  const auto free = number_in(fmt::format("/sys/kernel/mm/hugepages/hugepages-{}kB/free_hugepages", granule_ >> 10));
  return {
      base::Code::no_space,
      fmt::format("shared memory {}: {} are {} pages of {}, and {} are free: ask for less, or have the system set more "
                  "aside (/sys/kernel/mm/hugepages/hugepages-{}kB/nr_hugepages)",
                  name_, size_text(size_), size_.count / granule_, size_text({granule_}), free, granule_ >> 10)};
}

SharedBacking::~SharedBacking() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
  if (fd_ >= 0) close(fd_);
  remove_name();
}

void SharedBacking::remove_name() noexcept {
  if (name_of_process_ != getpid()) return;
  source_ == Source::posix ? shm_unlink(name_.c_str()) : unlink(name_.c_str());
  name_of_process_ = -1;
}

base::Status SharedBacking::populate(std::uint64_t offset, std::size_t bytes) {
  const int error = populate_shared(source_ == Source::dax ? -1 : fd_, offset, data_ + offset, bytes);
  return error == 0 ? base::Status::success() : failed("there is no memory for more of it", error);
}

bool SharedBacking::prepare(std::uint64_t offset, std::size_t bytes) const noexcept {
  return populate_shared(source_ == Source::dax ? -1 : fd_, offset, data_ + offset, bytes) == 0;
}

void SharedBacking::release(std::uint64_t offset, std::size_t bytes) noexcept {
  if (source_ != Source::dax) (void)madvise(data_ + offset, bytes, MADV_REMOVE);
}

std::optional<Backing::Placement> SharedBacking::place(std::uint64_t offset, std::size_t bytes) {
  return place_pages(data_ + offset, bytes, os_nodes_);
}

}  // namespace weir::memory
