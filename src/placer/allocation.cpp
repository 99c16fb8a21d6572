// SPDX-License-Identifier: Apache-2.0

// malloc() and its relatives in the program: large allocations are the placer's, all others go to the next library that
// has these functions, which is the C library or an allocator that the program has brought.
#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <atomic>

#include "placer/large.hpp"
#include "placer/placer.hpp"

namespace {

using weir::placer::Contents;
using weir::placer::map_large;
using weir::placer::resize_large;
using weir::placer::size_of_large;
using weir::placer::the_placer;
using weir::placer::unmap_large;

constexpr std::size_t kWorthALook = std::size_t{1} << 20;  // what is given back is looked at from here on

// dlsym() may allocate while these are looked for: memory for that comes from here, and is never given back.
alignas(64) char early[64 << 10];
std::atomic<std::size_t> early_used{0};

void* early_allocation(std::size_t size) noexcept {
  const std::size_t at = early_used.fetch_add((size + 63) & ~std::size_t{63});
  if (at + size > sizeof early) abort();
  return early + at;
}

bool is_early(const void* data) noexcept { return data >= early && data < early + sizeof early; }

// A function of the next library.
template <class Function>
class Next;
template <class Result, class... Arguments>
class Next<Result(Arguments...)> {
 public:
  explicit constexpr Next(const char* name) noexcept : name_(name) {}
  void find() noexcept { function_ = reinterpret_cast<Result (*)(Arguments...)>(dlsym(RTLD_NEXT, name_)); }
  // Null before find_next_functions() has found it.
  Result (*get() const noexcept)(Arguments...) { return function_.load(); }

 private:
  const char* const name_;
  std::atomic<Result (*)(Arguments...)> function_{nullptr};
};

constinit Next<void*(std::size_t)> next_malloc{"malloc"};
constinit Next<void*(std::size_t, std::size_t)> next_calloc{"calloc"};
constinit Next<void*(void*, std::size_t)> next_realloc{"realloc"};
constinit Next<void(void*)> next_free{"free"};
constinit Next<void*(std::size_t, std::size_t)> next_memalign{"memalign"};
constinit Next<int(void**, std::size_t, std::size_t)> next_posix_memalign{"posix_memalign"};
constinit Next<void*(std::size_t, std::size_t)> next_aligned_alloc{"aligned_alloc"};
constinit Next<std::size_t(void*)> next_usable_size{"malloc_usable_size"};

std::atomic<bool> all_found{false};
thread_local bool looking __attribute__((tls_model("initial-exec"))) = false;

// All at once, by the first allocation of a process. Never within free(): dlerror() calls it as it cleans up, and
// dlsym() would clean up once more.
void find_next_functions() noexcept {
  if (all_found.load() || looking) return;
  looking = true;
  next_malloc.find();
  next_calloc.find();
  next_realloc.find();
  next_free.find();
  next_memalign.find();
  next_posix_memalign.find();
  next_aligned_alloc.find();
  next_usable_size.find();
  looking = false;
  all_found = true;
}

// What a program that allocates nothing at its start would find later, in the midst of dlopen().
__attribute__((constructor)) void find_them_early() { find_next_functions(); }

bool is_large(std::size_t size) noexcept { return size >= the_placer.settings.from && !the_placer.restricted; }

// Null: it is not large, or the kernel gives no mapping for it, as a process has 65,530 at most. Then it is for the
// next library, and goes through instead_of_large().
void* try_large(std::size_t size, std::size_t alignment, Contents contents = Contents::anything) noexcept {
  return is_large(size) ? map_large(size, alignment, contents) : nullptr;
}

void* instead_of_large(void* data, std::size_t size) noexcept {
  if (data != nullptr && is_large(size)) the_placer.failures.fetch_add(1);
  return data;
}

bool is_power_of_two(std::size_t number) noexcept { return number != 0 && (number & (number - 1)) == 0; }

// As the C library's memalign() takes an alignment; 0 for one that it refuses.
std::size_t power_of_two_from(std::size_t alignment) noexcept {
  std::size_t power = 1;
  while (power < alignment && power != 0) power <<= 1;
  return power;
}

// Whether aligned_alloc() takes any alignment, as memalign() does; from 2.38 on it is a function of its own in the C
// library, and refuses what is no power of two.
bool aligned_alloc_is_memalign() noexcept { return next_aligned_alloc.get() == next_memalign.get(); }

std::size_t usable_size(void* data) noexcept {
  if (data == nullptr) return 0;
  if (is_early(data)) return static_cast<std::size_t>(early + sizeof early - static_cast<char*>(data));
  if (const std::size_t size = size_of_large(data); size > 0) return size;
  auto* const function = next_usable_size.get();
  return function == nullptr ? 0 : function(data);
}

void consider(std::size_t bytes) noexcept {
  if (the_placer.settings.active && bytes >= kWorthALook) weir::placer::consider();
}

void* no_memory() noexcept {
  errno = ENOMEM;
  return nullptr;
}

// Between the next library's memory and the placer's.
void* move(void* data, std::size_t size) noexcept {
  const std::size_t before = usable_size(data);
  void* const moved = malloc(size);
  if (moved == nullptr) return nullptr;
  memcpy(moved, data, before < size ? before : size);
  free(data);
  return moved;
}

}  // namespace

#define WEIR_PLACER_EXPORT extern "C" __attribute__((visibility("default")))

WEIR_PLACER_EXPORT void* malloc(std::size_t size) noexcept {
  if (void* const data = try_large(size, 1); data != nullptr) return data;
  find_next_functions();
  auto* const function = next_malloc.get();
  return function == nullptr ? early_allocation(size) : instead_of_large(function(size), size);
}

WEIR_PLACER_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return no_memory();
  if (void* const data = try_large(bytes, 1, Contents::zeros); data != nullptr) return data;
  find_next_functions();
  auto* const function = next_calloc.get();
  return function == nullptr ? early_allocation(bytes) : instead_of_large(function(count, size), bytes);
}

WEIR_PLACER_EXPORT void free(void* data) noexcept {
  if (data == nullptr || is_early(data)) return;
  if (unmap_large(data)) return;
  if (the_placer.settings.active) consider(usable_size(data));
  if (auto* const function = next_free.get(); function != nullptr) function(data);
}

WEIR_PLACER_EXPORT void* realloc(void* data, std::size_t size) noexcept {
  if (data == nullptr) return malloc(size);
  const std::size_t large = size_of_large(data);
  if (large > 0 && size == 0) {
    unmap_large(data);
    return nullptr;
  }
  if (large > 0 && is_large(size))
    if (void* const resized = resize_large(data, size); resized != nullptr) return resized;
  if (large > 0 || is_large(size) || is_early(data)) return move(data, size);
  if (the_placer.settings.active && size < usable_size(data)) consider(usable_size(data));
  auto* const function = next_realloc.get();
  return function == nullptr ? nullptr : function(data, size);
}

WEIR_PLACER_EXPORT void* reallocarray(void* data, std::size_t count, std::size_t size) noexcept {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(count, size, &bytes) ? no_memory() : realloc(data, bytes);
}

WEIR_PLACER_EXPORT int posix_memalign(void** to, std::size_t alignment, std::size_t size) noexcept {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int before = errno;
  void* const data = try_large(size, alignment);
  errno = before;
  if (data != nullptr) {
    *to = data;
    return 0;
  }
  find_next_functions();
  auto* const function = next_posix_memalign.get();
  const int failed = function == nullptr ? ENOMEM : function(to, alignment, size);
  if (failed == 0) instead_of_large(*to, size);
  return failed;
}

WEIR_PLACER_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (const std::size_t power = power_of_two_from(alignment); power != 0)
    if (void* const data = try_large(size, power); data != nullptr) return data;
  find_next_functions();
  auto* const function = next_memalign.get();
  return function == nullptr ? nullptr : instead_of_large(function(alignment, size), size);
}

WEIR_PLACER_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  find_next_functions();
  const std::size_t power =
      is_power_of_two(alignment) || aligned_alloc_is_memalign() ? power_of_two_from(alignment) : 0;
  if (power != 0)
    if (void* const data = try_large(size, power); data != nullptr) return data;
  auto* const function = next_aligned_alloc.get();
  return function == nullptr ? nullptr : instead_of_large(function(alignment, size), size);
}

WEIR_PLACER_EXPORT void* valloc(std::size_t size) noexcept {
  return memalign(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), size);
}

WEIR_PLACER_EXPORT void* pvalloc(std::size_t size) noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size > SIZE_MAX - page ? no_memory() : memalign(page, (size + page - 1) / page * page);
}

WEIR_PLACER_EXPORT std::size_t malloc_usable_size(void* data) noexcept { return usable_size(data); }

WEIR_PLACER_EXPORT int munmap(void* data, std::size_t size) noexcept {
  consider(size);
  return static_cast<int>(syscall(SYS_munmap, data, size));
}
