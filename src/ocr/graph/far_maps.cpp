// SPDX-License-Identifier: Apache-2.0

#include "ocr/graph/far_maps.hpp"

#include <unordered_map>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/graph/far.hpp"
#include "ocr/graph/local.hpp"
#include "ocr/mail/refuse.hpp"
#include "platform/code_address.hpp"

namespace weir::ocr {

namespace {

constexpr Rank kDefaultHome{0};

// What goes from rank to rank; the parameters follow.
struct MapText {
  Guid first;   // of a map that is there
  Kind kind{};  // of one to be made
  std::uint64_t count = 0;
  bool has_function = false;
  platform::CodeAddress function;
};

// What others' maps say, by GUID.
struct FarMaps {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, std::shared_ptr<GuidMap>> all WEIR_GUARDED_BY(mutex);
};
FarMaps& far_maps() {
  static base::Forever<FarMaps> maps;
  return maps.value;
}

Rank home_of_map(Guid guid) noexcept { return guid.is_null() ? kDefaultHome : home_of(guid); }

void put_function(MapText& text, MapFunction function) {
  text.has_function = function != nullptr;
  if (text.has_function) text.function = platform::code_address_of(reinterpret_cast<const void*>(function));
}

// False: it is in no file that this rank has loaded, and the program ends.
bool find_function(const MapText& text, MapFunction& function) {
  function = nullptr;
  if (!text.has_function) return true;
  const void* const code = platform::code_at(text.function);
  function = reinterpret_cast<MapFunction>(const_cast<void*>(code));
  if (code == nullptr)
    static_cast<void>(refuse_across_ranks(local()->program,
                                          "the function of a map is in a shared library that another rank has loaded, "
                                          "and this one has not: link the program with it"));
  return code != nullptr;
}

std::shared_ptr<GuidMap> fetch(Guid guid) {
  const Answer answer = Mail::running()->ask(home_of_map(guid), Say::fetch_map, Writer().put(guid));
  if (answer.code != 0) return nullptr;
  Reader body(answer.body);
  const auto text = body.get<MapText>();
  auto map = std::make_shared<GuidMap>();
  map->first = text.first;
  map->count = text.count;
  if (!find_function(text, map->function)) return nullptr;
  map->params = body.get_all<s64>();
  return map;
}

}  // namespace

std::shared_ptr<GuidMap> find_map_of_ranks(Guid guid) {
  if (std::shared_ptr<GuidMap> here = find_map(guid)) return here;
  const bool is_default_elsewhere = guid.is_null() && homes().self() != kDefaultHome;
  if (!is_far(guid) && !is_default_elsewhere) return nullptr;
  FarMaps& far = far_maps();
  {
    const base::Lock lock(far.mutex);
    if (const auto found = far.all.find(guid.bits); found != far.all.end()) return found->second;
  }
  std::shared_ptr<GuidMap> map = fetch(guid);
  if (map == nullptr) return nullptr;
  const base::Lock lock(far.mutex);
  return far.all.try_emplace(guid.bits, std::move(map)).first->second;
}

u8 set_default_map_of_ranks(const MapRequest& request) {
  if (homes().self() == kDefaultHome) return set_default_map(request);
  MapText text{{}, request.kind, request.count, false, {}};
  put_function(text, request.function);
  return Mail::running()->ask(kDefaultHome, Say::set_default_map, Writer().put(text).put_all(request.params)).code;
}

u8 destroy_map_of_ranks(Guid guid) {
  if (is_far(Kind::map, guid)) return destroy_far(guid);
  const u8 code = destroy_map(guid);
  if (code == 0 && is_spread()) Mail::running()->post_to_others(Say::forget_map, Writer().put(guid));
  return code;
}

// ---- Asked by another rank ----

Answer answer_fetch_map(Reader& body) {
  const std::shared_ptr<GuidMap> map = find_map(body.get<Guid>());
  if (map == nullptr) return {OCR_EINVAL};
  MapText text{map->first, Kind::none, map->count, false, {}};
  put_function(text, map->function);
  return {0, Writer().put(text).put_all(std::span<const s64>(map->params)).take()};
}

Answer answer_set_default_map(Reader& body) {
  const auto text = body.get<MapText>();
  const std::vector<s64> params = body.get_all<s64>();
  MapFunction function = nullptr;
  if (!find_function(text, function)) return {OCR_ENOTSUP};
  return {set_default_map({text.kind, text.count, function, params})};
}

Answer answer_forget_map(Reader& body) {
  FarMaps& far = far_maps();
  const base::Lock lock(far.mutex);
  far.all.erase(body.get<Guid>().bits);
  return {};
}

}  // namespace weir::ocr
