// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/routine.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <array>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "platform/symbol_names.hpp"

namespace weir::shmem {

namespace {

struct Frames {
  std::array<void*, 32> functions{};  // where each begins
  std::size_t n = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* frames_of) {
  auto& frames = *static_cast<Frames*>(frames_of);
  if (frames.n == frames.functions.size()) return _URC_END_OF_STACK;
  int is_before_call = 0;
  auto address = _Unwind_GetIPInfo(context, &is_before_call);
  if (is_before_call == 0) --address;
  frames.functions[frames.n++] = _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(address));
  return _URC_NO_REASON;
}

std::string find_name_of(const void* function) {
  Dl_info info{};
  if (dladdr(function, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == function) return info.dli_sname;
  return platform::function_name(function);
}

// Names that were found once, for programs whose every call asks (WEIR_CHECK=1).
std::string routine_name(const void* function) {
  struct Names {
    std::mutex mutex;
    std::unordered_map<const void*, std::string> all;
  };
  static auto* const names = new Names;
  if (function == nullptr) return {};
  const std::lock_guard lock(names->mutex);
  const auto [found, is_new] = names->all.try_emplace(function);
  if (is_new) found->second = find_name_of(function);
  return found->second;
}

}  // namespace

bool is_routine_name(std::string_view name) noexcept {
  for (const std::string_view prefix : {"shmem_", "pshmem_", "shmemx_", "start_pes", "shmalloc", "shfree", "shmemalign",
                                        "shrealloc", "_my_pe", "_num_pes"}) {
    if (name.substr(0, prefix.size()) == prefix) return true;
  }
  return false;
}

std::string routine_of_caller() {
  Frames frames;
  _Unwind_Backtrace(add_frame, &frames);
  std::string found;
  for (std::size_t i = 0; i < frames.n; ++i) {
    std::string name = routine_name(frames.functions[i]);
    if (is_routine_name(name)) {
      found = name[0] == 'p' ? name.substr(1) : name;
    } else if (!found.empty()) {
      break;
    }
  }
  return found;
}

}  // namespace weir::shmem
