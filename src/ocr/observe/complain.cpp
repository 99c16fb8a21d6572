// SPDX-License-Identifier: Apache-2.0

#include "ocr/observe/complain.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "platform/symbol_names.hpp"

namespace weir::ocr {

std::string name_of(const EdtKind* kind) {
  if (kind == nullptr) return "main()";
  if (kind->name != nullptr) return fmt::format("EDT {}", kind->name);
  auto* const address = reinterpret_cast<void*>(kind->function);
  if (const std::string name = platform::function_name(address); !name.empty()) return fmt::format("EDT {}", name);
  Dl_info info{};
  if (dladdr(address, &info) == 0) return fmt::format("{}{}", kUnnamed, address);
  const auto offset = static_cast<std::size_t>(static_cast<char*>(address) - static_cast<char*>(info.dli_fbase));
  return fmt::format("{}{}+{:#x}", kUnnamed, info.dli_fname, offset);  // as addr2line -f -e takes it
}

const char* lasting_name_of(const EdtKind* kind) {
  static base::Mutex mutex;
  static base::Forever<std::unordered_map<const EdtKind*, std::string>> names;
  const base::Lock lock(mutex);
  const auto [name, is_new] = names.value.try_emplace(kind);
  if (is_new) name->second = name_of(kind);
  return name->second.c_str();
}

namespace {

template <class F>
void print(F&& text) noexcept {
  try {
    std::fputs(text().c_str(), stderr);
  } catch (...) {
    std::fputs("weir: ocr: misuse, and no memory to say of what\n", stderr);
  }
}

}  // namespace

void complain(const Edt& edt, const char* what, Guid guid) noexcept {
  print([&] {
    return fmt::format("weir: ocr: {} ({:#x}) {}: {:#x}\n", name_of(edt.kind()), edt.guid().bits, what, guid.bits);
  });
}

void complain(const Edt& edt, const char* what) noexcept {
  print([&] { return fmt::format("weir: ocr: {} ({:#x}) {}\n", name_of(edt.kind()), edt.guid().bits, what); });
}

void complain(const char* what, Guid guid) noexcept {
  print([&] { return fmt::format("weir: ocr: {}: {:#x}\n", what, guid.bits); });
}

namespace {

// What was reported already of EDTs of a kind; since OCR was started last.
struct Complaints {
  base::Mutex mutex;
  std::set<std::pair<const EdtKind*, const char*>> all WEIR_GUARDED_BY(mutex);
};
Complaints& reported() {
  static base::Forever<Complaints> the_reported;
  return the_reported.value;
}

}  // namespace

void complain_once(const Edt& edt, const char* what, Guid guid) noexcept {
  {
    const base::Lock lock(reported().mutex);
    if (!reported().all.emplace(edt.kind(), what).second) return;
  }
  complain(edt, what, guid);
}

void forget_complaints() noexcept {
  const base::Lock lock(reported().mutex);
  reported().all.clear();
}

}  // namespace weir::ocr
