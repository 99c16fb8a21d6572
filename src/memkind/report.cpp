// SPDX-License-Identifier: Apache-2.0

#include "memkind/report.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "memory/tier_spec.hpp"

namespace weir::memkinds {

namespace {

// Never destroyed: kinds are used in last destructors.
struct Told {
  base::Mutex mutex;
  std::vector<const memkind*> kinds WEIR_GUARDED_BY(mutex);
  std::vector<const alloc::TierHeap*> heaps WEIR_GUARDED_BY(mutex);
};

Told& told() {
  static auto* const instance = new Told;
  return *instance;
}

template <class Item>
bool is_new(std::vector<const Item*>& list, const Item& item) {
  if (std::find(list.begin(), list.end(), &item) != list.end()) return false;
  list.push_back(&item);
  return true;
}

// One write for each line, so that those of several processes do not mix.
void tell(const std::string& text) {
  const char* const asked = std::getenv(kVariable);
  if (asked == nullptr) return;
  const std::string_view how = asked;
  const bool to_file = how.starts_with("report=");
  if (!to_file && how != "report") return;
  const std::string line = to_file ? text + "\n" : "weir: memkind: " + text + "\n";
  const int file = to_file ? open(asked + 7, O_WRONLY | O_APPEND | O_CLOEXEC) : STDERR_FILENO;
  if (file < 0) return;
  if (write(file, line.data(), line.size()) < 0) return;
  if (to_file) close(file);
}

std::string text_of(const alloc::TierHeap& heap, const alloc::HeapUse& use) {
  const auto size = [](std::uint64_t bytes) { return memory::size_text({bytes}); };
  return fmt::format("{}: at most {} in use, {} of {} in its nodes{}", heap.name(), size(use.peak),
                     size(static_cast<std::uint64_t>(use.obtained_share * double(use.populated))), size(use.populated),
                     use.fallbacks == 0 ? "" : fmt::format("; {} allocations from ordinary memory", use.fallbacks));
}

std::vector<const alloc::TierHeap*> heaps_watched() {
  const base::Lock lock(told().mutex);
  return told().heaps;
}

// The child of fork() must not find it locked by a thread that it does not have.
void before_fork() WEIR_NOT_ANALYSED { told().mutex.lock(); }
void after_fork() WEIR_NOT_ANALYSED { told().mutex.unlock(); }
[[maybe_unused]] const int kAtFork = pthread_atfork(&before_fork, &after_fork, &after_fork);

struct Ends {
  Ends() { tell(fmt::format("{} has loaded it", getpid())); }
  ~Ends() {
    try {
      for (const alloc::TierHeap* const heap : heaps_watched())
        if (const alloc::HeapUse use = heap->use(); use.peak + use.fallbacks > 0) tell(text_of(*heap, use));
    } catch (const std::exception&) {  // no memory for a message
    }
  }
};
const Ends kEnds;

}  // namespace

void tell_once(const memkind& kind, const std::string& text) noexcept {
  try {
    const base::Lock lock(told().mutex);
    if (is_new(told().kinds, kind)) tell(text);
  } catch (const std::exception&) {  // no memory for a message
  }
}

void watch(const alloc::TierHeap& heap) noexcept {
  try {
    const base::Lock lock(told().mutex);
    is_new(told().heaps, heap);
  } catch (const std::exception&) {  // no memory for the entry: it goes untold
  }
}

}  // namespace weir::memkinds
