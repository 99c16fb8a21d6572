// SPDX-License-Identifier: Apache-2.0

#include "check/hooks.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstdlib>
#include <cstring>
#include <string>

namespace weir::check {

namespace detail {
bool is_active = false;
Hooks* the_hooks = nullptr;
}  // namespace detail

namespace {

bool is_shmem_program = false;

using base::Code;
using base::Status;

// The program was started by a dynamic linker; a library that is loaded into any other would bring a second C library.
bool can_load_libraries() noexcept {
  const auto* header = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  for (unsigned long left = getauxval(AT_PHNUM); header != nullptr && left != 0; --left, ++header)
    if (header->p_type == PT_INTERP) return true;
  return false;
}

base::Result<Hooks*> load(const std::string& path) {
  // Not by its name, of which the linker warns in every program that is linked statically.
  auto* const open = reinterpret_cast<decltype(&dlopen)>(dlsym(RTLD_DEFAULT, "dlopen"));
  if (!can_load_libraries() || open == nullptr) {
    return Status{Code::unsupported,
                  "weir check cannot load its library into this program, which is linked with the C library "
                  "statically; link it without -static"};
  }
  void* const library = open(path.c_str(), RTLD_NOW | RTLD_LOCAL);  // for good: handlers of signals are in it
  if (library == nullptr)
    return Status{Code::not_found, fmt::format("weir check cannot load its library into this program: {}", dlerror())};
  auto* const entry = reinterpret_cast<Entry*>(dlsym(library, kEntry));
  Hooks* const hooks = entry == nullptr ? nullptr : entry(WEIR_VERSION, &detail::is_active);
  if (hooks != nullptr) return hooks;
  return Status{Code::bad_option,
                fmt::format("this program's libweir ({}) and {} are not of the same version; use the weir command that "
                            "came with the library",
                            WEIR_VERSION, path)};
}

}  // namespace

void leave_to_shmem() noexcept { is_shmem_program = true; }

base::Status start(Options& options) {
  const char* const value = std::getenv(kVariable);
  if (value == nullptr) return Status::success();
  if (std::strcmp(value, kForShmem) == 0) {
    if (is_shmem_program) return Status::success();
    return {Code::bad_option,
            fmt::format("{}={} is for OpenSHMEM programs, whose runtimes are made after shmem_init(); run `weir check "
                        "PROGRAM`, or unset {}",
                        kVariable, value, kVariable)};
  }
  const char* const colon = std::strchr(value, ':');
  if (colon == nullptr || colon == value || colon[1] == 0) {
    return {Code::bad_option, fmt::format("{}={}: it is set by weir check; run `weir check PROGRAM`, or unset {}",
                                          kVariable, value, kVariable)};
  }
  if (detail::the_hooks == nullptr) {
    const base::Result<Hooks*> loaded = load(colon + 1);
    if (!loaded) return loaded.status();
    detail::the_hooks = *loaded;
  }
  return detail::the_hooks->start(options, std::string(value, colon).c_str());
}

}  // namespace weir::check
