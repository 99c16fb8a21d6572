// SPDX-License-Identifier: Apache-2.0

#include "ocr/objects/origin.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"

namespace weir::ocr {

const EdtKind* intern(ocrEdt_t function, const char* name) {
  struct Named {
    std::string name;
    EdtKind kind;
  };
  static base::Mutex mutex;
  static base::Forever<std::unordered_multimap<ocrEdt_t, std::unique_ptr<Named>>> forever;
  auto& all = forever.value;
  const base::Lock lock(mutex);
  const auto [first, last] = all.equal_range(function);
  for (auto i = first; i != last; ++i) {
    const Named& named = *i->second;
    if ((name == nullptr) == (named.kind.name == nullptr) && (name == nullptr || named.name == name))
      return &named.kind;
  }
  auto named = std::make_unique<Named>();
  if (name != nullptr) named->name = name;
  named->kind.function = function;
  named->kind.name = name == nullptr ? nullptr : named->name.c_str();
  return &all.emplace(function, std::move(named))->second->kind;
}

bool is_librarys_own(const EdtKind& kind) noexcept {
  if (kind.name == nullptr) return false;
  for (const char* const known : {kLenderName, kReturnerName, kBorrowerName, kStandInName})
    if (std::strcmp(kind.name, known) == 0) return true;
  return false;
}

namespace {

// The one of all workers.
const EdtOrigin* intern(const EdtOrigin& wanted) {
  static base::Mutex mutex;
  static base::Forever<std::unordered_multimap<const void*, std::unique_ptr<EdtOrigin>>> by_site;
  auto& all = by_site.value;
  const base::Lock lock(mutex);
  const auto [first, last] = all.equal_range(wanted.site);
  for (auto i = first; i != last; ++i)
    if (*i->second == wanted) return i->second.get();
  return all.emplace(wanted.site, std::make_unique<EdtOrigin>(wanted))->second.get();
}

}  // namespace

const EdtOrigin* Origins::add(const EdtOrigin& wanted) {
  const EdtOrigin* const origin = intern(wanted);
  if (2 * count_ > mask_) {
    auto larger = std::make_unique<const EdtOrigin*[]>(2 * (mask_ + 1));
    const std::size_t before = std::exchange(mask_, 2 * mask_ + 1) + 1;
    table_.swap(larger);
    for (std::size_t i = 0; i < before; ++i)
      if (larger[i] != nullptr) enter(larger[i]);
  }
  enter(origin);
  ++count_;
  return origin;
}

void Origins::enter(const EdtOrigin* origin) noexcept {
  std::size_t at = hash(*origin);
  while (table_[at & mask_] != nullptr) ++at;
  table_[at & mask_] = origin;
}

}  // namespace weir::ocr
