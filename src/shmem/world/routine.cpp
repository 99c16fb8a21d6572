// SPDX-License-Identifier: Apache-2.0

#include "shmem/world/routine.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <array>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

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

// The compiler may have made a part of a function one of its own: "pshmem_long_g.cold".
std::string find_name_of(const void* function) {
  Dl_info info{};
  const bool is_known = dladdr(function, &info) != 0 && info.dli_sname != nullptr && info.dli_saddr == function;
  const std::string name = is_known ? info.dli_sname : platform::function_name(function);
  return name.substr(0, name.find('.'));
}

struct Function {
  std::string name;      // of the routine, without the p; "" when it cannot be one
  bool is_ours = false;  // no function of the program
};

// Each routine has two names, of which the one with a p is the library's alone: the other may be a profiler's function,
// or any of the program's.
Function find_function(const void* start) {
  std::string name = find_name_of(start);
  if (!is_routine_name(name)) return {};
  if (name[0] == 'p') return {name.substr(1), true};
  const bool is_ours = platform::has_name(start, ("p" + name).c_str());
  return {std::move(name), is_ours};
}

// What was found once, for programs whose every call asks (WEIR_CHECK=1).
Function function_at(const void* start) {
  struct Known {
    std::mutex mutex;
    std::unordered_map<const void*, Function> all;
  };
  static auto* const known = new Known;
  if (start == nullptr) return {};
  const std::lock_guard lock(known->mutex);
  const auto [found, is_new] = known->all.try_emplace(start);
  if (is_new) found->second = find_function(start);
  return found->second;
}

}  // namespace

bool is_routine_name(std::string_view name) noexcept {
  if (name.starts_with('p')) name.remove_prefix(1);
  for (const std::string_view prefix :
       {"shmem_", "shmemx_", "start_pes", "shmalloc", "shfree", "shmemalign", "shrealloc", "_my_pe", "_num_pes"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

// The outermost of the library's, which may call each other; or the function of its name that a profiler has around it.
std::string routine_of_caller() {
  Frames frames;
  _Unwind_Backtrace(add_frame, &frames);
  std::string found;
  for (std::size_t i = 0; i < frames.n; ++i) {
    Function function = function_at(frames.functions[i]);
    if (function.is_ours) {
      found = std::move(function.name);
    } else if (!found.empty()) {
      break;
    }
  }
  return found;
}

}  // namespace weir::shmem
