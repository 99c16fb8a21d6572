// SPDX-License-Identifier: Apache-2.0

#include "ocr/edts/far_edt.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/forever.hpp"
#include "base/mutex.hpp"
#include "ocr/edts/finish_scope.hpp"
#include "ocr/edts/spread.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far_links.hpp"
#include "ocr/mail/refuse.hpp"
#include "ocr/objects/edt_table.hpp"
#include "ocr/objects/label.hpp"
#include "ocr/observe/complain.hpp"
#include "platform/code_address.hpp"

namespace weir::ocr {

namespace {

// What goes to the EDT's rank. The names of the function and of the creator, the parameters and depv follow.
struct Wanted {
  platform::CodeAddress function;
  platform::CodeAddress site;    // of the code that makes it; offset 0: of no file
  Guid label, output, stand_in;  // null: none
  GivenGuids given;              // the GUID that it has; count 0: the answer says it
  std::uint16_t properties = 0;
  bool owns_output = false, has_name = false, has_depv = false, wants_guids = false;
  ocrHint_t hint{};
};
struct TemplateText {
  platform::CodeAddress function;
  std::uint32_t paramc = 0, depc = 0;
  bool has_name = false;
  ocrHint_t hint{};
};

void put_name(Writer& writer, const EdtKind& kind) {
  const std::string_view name(kind.name == nullptr ? "" : kind.name);
  writer.put_all(std::span(name.data(), name.size()));
}

// A function and where it is, as other ranks say it. Looking that up takes longer than sending it, so each thread keeps
// the last one at either end. Kinds are never freed.
struct KnownKind {
  const EdtKind* kind = nullptr;
  platform::CodeAddress address;

  bool is(const platform::CodeAddress& other, bool has_name, std::string_view name) const noexcept {
    return kind != nullptr && address.file == other.file && address.offset == other.offset &&
           (kind->name != nullptr) == has_name && (!has_name || name == kind->name);
  }
};

std::string_view get_name(Reader& body) {
  const std::span<const std::byte> bytes = body.get_bytes(body.get<std::uint64_t>());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The function by that address and name of another rank. Null: it is in no file that this rank has loaded, and the
// program ends.
const EdtKind* get_kind(Local& local, const platform::CodeAddress& address, bool has_name, Reader& body) {
  thread_local KnownKind last;
  const std::string_view name = get_name(body);
  if (last.is(address, has_name, name)) return last.kind;
  const void* const code = platform::code_at(address);
  const std::string text(name);
  if (code == nullptr) {
    static_cast<void>(refuse_across_ranks(
        local.program, fmt::format("the function of an EDT ({}) is in a shared library that another rank has loaded, "
                                   "and this one has not: link the program with it",
                                   has_name ? text : "compile it with -DOCR_ENABLE_EDT_NAMING for its name")
                           .c_str()));
    return nullptr;
  }
  last = {intern(reinterpret_cast<ocrEdt_t>(const_cast<void*>(code)), has_name ? text.c_str() : nullptr), address};
  return last.kind;
}

platform::CodeAddress address_of(const EdtKind& kind) {
  thread_local KnownKind last;
  if (last.kind != &kind) last = {&kind, platform::code_address_of(reinterpret_cast<const void*>(kind.function))};
  return last.address;
}

// ---- Where it was created ----

// Reports name it. Looking it up takes longer than sending it, so each thread keeps what it has looked up: as much as
// the program has places and EDTs that make EDTs.

platform::CodeAddress address_of_site(const void* site) {
  if (site == nullptr) return {};
  thread_local std::unordered_map<const void*, platform::CodeAddress> known;
  const auto [found, is_new] = known.try_emplace(site);
  if (is_new) found->second = platform::find_code_address(site).value_or(platform::CodeAddress{});
  return found->second;
}

const void* site_at(const platform::CodeAddress& address) {
  struct Seen {
    std::uint64_t file = 0;
    const void* site = nullptr;
  };
  if (address.offset == 0) return nullptr;
  thread_local std::unordered_map<std::uint64_t, Seen> known;  // by the offset
  const auto [found, is_new] = known.try_emplace(address.offset);
  if (is_new || found->second.file != address.file) found->second = {address.file, platform::code_at(address)};
  return found->second.site;
}

// The EDT that makes one, as another rank is to call it; "": there is none.
std::string_view creator_here(const Local& local) {
  const EdtKind* const maker = maker_of(local);
  if (maker == nullptr) return {};
  thread_local std::unordered_map<const EdtKind*, std::string> known;
  const auto [found, is_new] = known.try_emplace(maker);
  if (is_new) found->second = fmt::format("{} of rank {}", lasting_name_of(maker) + kEdtWord.size(), homes().here);
  return found->second;
}

// The function of those kinds; it is never called.
ocrGuid_t create_elsewhere(u32, u64*, u32, ocrEdtDep_t[]) { return to_c({}); }

// That EDT of another rank, as a kind of its own.
const EdtKind* creator_elsewhere(std::string_view name) {
  if (name.empty()) return nullptr;
  thread_local std::unordered_map<std::string, const EdtKind*> known;
  const auto [found, is_new] = known.try_emplace(std::string(name), nullptr);
  if (is_new) found->second = intern(&create_elsewhere, found->first.c_str());
  return found->second;
}

// The template's hints and those of the request, which count more.
ocrHint_t hints_of(const Template& of, const EdtRequest& request) noexcept {
  ocrHint_t hint = of.hint.empty() ? ocrHint_t{OCR_HINT_EDT_T, 0, {}} : of.hint.read();
  if (request.hint != nullptr && request.hint->type == OCR_HINT_EDT_T) merge_hint(hint, *request.hint);
  return hint;
}

// ---- The stand-in ----

// The parameter: the GUID of the EDT that it stands for.
ocrGuid_t stand_in(u32, u64*, u32, ocrEdtDep_t[]) { return to_c({}); }

const EdtKind& stand_in_kind() {
  static const EdtKind& kind = *intern(&stand_in, kStandInName);
  return kind;
}

// Null when nothing would wait for it.
u8 make_stand_in(Local& local, Guid& made) {
  made = {};
  if (!is_in_finish_scope(local)) return 0;
  Template of{};
  of.kind = &stand_in_kind();
  of.paramc = of.depc = 1;
  ocrGuid_t guid;
  u64 not_known = 0;
  EdtRequest request{};
  request.paramc = request.depc = 1;
  request.paramv = &not_known;
  request.made = &guid;
  if (const u8 code = create_edt_here(local, of, request)) return code;
  made = from_c(guid);
  return 0;
}

// It may have ended by now, and the stand-in with it.
void note_stands_for(Guid stand_in, Guid edt) noexcept {
  Edt* const there = lock_edt(stand_in);
  if (there == nullptr) return;
  there->body().paramv()[0] = edt.bits;
  there->body().word.unlock();
}

// ---- What depends on events ----

// The events and labels of depv that are not the EDT's neighbours: its rank links its own.
void link_depv(Local& local, const EdtRequest& request, Rank where, std::uint64_t first_slot) {
  for (std::uint32_t i = 0; request.depv != nullptr && i < request.depc; ++i) {
    const Guid source = from_c(request.depv[i]);
    const bool is_link = source.kind() == Kind::event || (source.kind() == Kind::block && source.is_label());
    if (!is_link || home_of(source) == where) continue;
    const FarSlot slot{where, first_slot + i * sizeof(Slot)};
    if (link_to_far_slot(local, source, slot, 0) == 0) continue;
    std::fprintf(stderr,
                 "weir: ocr: an EDT for rank %u was given an event that is gone, or has no room, in its depv: %#llx\n",
                 static_cast<unsigned>(where), static_cast<unsigned long long>(source.bits));
    satisfy_far_slot(slot, {});
  }
}

}  // namespace

Rank rank_of(const Local& local, const Template& of, const EdtRequest& request) noexcept {
  if ((request.properties & GUID_PROP_IS_LABELED) != 0)
    return is_far(request.guid) ? home_of(request.guid) : homes().self();
  const bool has_hint = request.hint != nullptr || !of.hint.empty();
  const int rank = has_hint ? rank_of_hint(hint_value(hints_of(of, request), OCR_HINT_EDT_AFFINITY, 0)) : -1;
  if (rank < 0 || static_cast<std::uint32_t>(rank) >= homes().ranks)
    return spread_to(local, *of.kind, request).value_or(homes().self());
  end_spread();
  return Rank{static_cast<std::uint32_t>(rank)};
}

namespace {

Wanted wanted_of(const Template& of, const EdtRequest& request) {
  Wanted wanted{};
  wanted.function = address_of(*of.kind);
  wanted.site = address_of_site(request.site);
  if ((request.properties & GUID_PROP_IS_LABELED) != 0) wanted.label = request.guid;
  wanted.properties = for_one_try(request.properties);
  wanted.has_name = of.kind->name != nullptr;
  wanted.has_depv = request.depv != nullptr;
  wanted.hint = hints_of(of, request);
  return wanted;
}

Writer message_of(const Local& local, const Wanted& wanted, const Template& of, const EdtRequest& request) {
  const std::string_view creator = creator_here(local);
  Writer body;
  body.put(wanted);
  put_name(body, *of.kind);
  body.put_all(std::span(creator.data(), creator.size()));
  body.put_all(std::span<const u64>(request.paramv, request.paramc)).put(request.depc);
  if (request.depv != nullptr) body.put_all(std::span<const ocrGuid_t>(request.depv, request.depc));
  return body;
}

// Nothing can fail there but for want of memory, and no program may conclude from having made it that it still waits:
// whatever is done with its GUID may find that it has ended.
bool needs_no_answer(const Wanted& wanted, const EdtRequest& request) noexcept {
  return request.depc == 0 && wanted.label.is_null() && (wanted.output.is_null() || !is_far(wanted.output));
}

u8 ask_for_edt(Local& local, const Template& of, EdtRequest& request, Rank where, const Wanted& wanted) {
  const Answer answer = Mail::running()->ask(where, Say::create_edt, message_of(local, wanted, of, request));
  if (answer.code != 0) return answer.code;
  Reader made(answer.body);
  const Guid guid = made.get<Guid>();
  const auto first_slot = made.get<std::uint64_t>();
  if (wanted.wants_guids) local.given.put(where, made.get<GivenGuids>());
  if (request.made != nullptr) *request.made = to_c(guid);
  note_stands_for(wanted.stand_in, guid);
  link_depv(local, request, where, first_slot);
  return 0;
}

// By a message without an answer, where that can be, and there is a GUID for it; else the answer brings some.
u8 send_edt(Local& local, const Template& of, EdtRequest& request, Rank where, Wanted& wanted) {
  if (!needs_no_answer(wanted, request)) return ask_for_edt(local, of, request, where, wanted);
  const auto given = local.given.take(where);
  wanted.wants_guids = !given;
  if (!given) return ask_for_edt(local, of, request, where, wanted);
  wanted.given = *given;
  if (request.made != nullptr) *request.made = to_c(given->first);
  note_stands_for(wanted.stand_in, given->first);
  Mail::running()->post(where, Say::create_edt, message_of(local, wanted, of, request));
  return 0;
}

}  // namespace

static u8 try_create_far_edt(Local& local, const Template& of, EdtRequest& request, Rank where) {
  Wanted wanted = wanted_of(of, request);
  std::uint8_t flags = 0;
  if (const u8 code = make_output(local, request, wanted.output, flags)) return code;
  wanted.owns_output = (flags & Edt::kOwnOutput) != 0;
  if (wanted.owns_output) *request.output = to_c(wanted.output);
  u8 code = make_stand_in(local, wanted.stand_in);
  if (code == 0) code = send_edt(local, of, request, where, wanted);
  if (code == 0) return 0;
  if (wanted.owns_output) static_cast<void>(destroy_event(local, wanted.output));
  if (!wanted.stand_in.is_null()) static_cast<void>(destroy_edt(local, wanted.stand_in));
  return code;
}

bool is_stand_in(const Edt& edt) noexcept { return edt.kind()->function == &stand_in; }

Guid stands_for(Edt& edt) noexcept { return {edt.body().paramc == 0 ? 0 : edt.body().paramv()[0]}; }

u8 create_far_edt(Local& local, const Template& of, EdtRequest& request, Rank where) {
  u8 code = 0;
  const u8 waited = wait_for_label(local, request.guid, request.properties, [&] {
    code = try_create_far_edt(local, of, request, where);
    return code != OCR_EGUIDEXISTS;
  });
  return waited != 0 ? waited : code;
}

// ---- Templates ----

namespace {

struct FarTemplates {
  base::Mutex mutex;
  std::unordered_map<std::uint64_t, std::shared_ptr<const Template>> all WEIR_GUARDED_BY(mutex);  // by GUID
  std::uint64_t forgotten WEIR_GUARDED_BY(mutex) = 0;                                             // how often any was
};
FarTemplates& far_templates() {
  static base::Forever<FarTemplates> all;
  return all.value;
}

// Null: there is none, or its function is not here.
std::shared_ptr<const Template> fetch_template(Guid guid) {
  const Answer answer = Mail::running()->ask(home_of(guid), Say::fetch_template, Writer().put(guid));
  if (answer.code != 0) return nullptr;
  Reader body(answer.body);
  const auto text = body.get<TemplateText>();
  auto made = std::make_shared<Template>();
  made->kind = get_kind(*local(), text.function, text.has_name, body);
  if (made->kind == nullptr) return nullptr;
  made->paramc = text.paramc;
  made->depc = text.depc;
  made->hint.merge(text.hint);
  return made;
}

}  // namespace

void forget_far_template(Guid guid) {
  FarTemplates& far = far_templates();
  const base::Lock lock(far.mutex);
  far.all.erase(guid.bits);
  ++far.forgotten;
}

// The message that it is destroyed may be performed before this thread has the answer, which was sent first: so it is
// kept only if no such message was performed since it was asked for.
std::shared_ptr<const Template> find_far_template(Guid guid) {
  FarTemplates& far = far_templates();
  std::uint64_t before = 0;
  {
    const base::Lock lock(far.mutex);
    if (const auto found = far.all.find(guid.bits); found != far.all.end()) return found->second;
    before = far.forgotten;
  }
  std::shared_ptr<const Template> fetched = fetch_template(guid);
  const base::Lock lock(far.mutex);
  if (fetched == nullptr || far.forgotten != before) return fetched;
  return far.all.try_emplace(guid.bits, std::move(fetched)).first->second;
}

static u8 destroy_far_template(Guid guid) {
  const u8 code = destroy_far(guid);
  forget_far_template(guid);
  return code;
}

u8 destroy_template(ObjectLocal& local, Guid guid) {
  Template* const of = lock_object(templates(), Kind::edt_template, guid);
  if (of == nullptr) return is_far(Kind::edt_template, guid) ? destroy_far_template(guid) : u8{OCR_EINVAL};
  const bool is_known_elsewhere = std::exchange(of->is_known_elsewhere, false);
  retire(local, templates(), local.templates, *of);
  if (is_known_elsewhere) Mail::running()->post_to_others(Say::forget_template, Writer().put(guid));
  return 0;
}

// ---- Asked by another rank ----

namespace {

// Its maker goes on without an answer.
Answer end_without_edt(Local& local, u8 code) {
  std::fflush(stdout);
  std::fprintf(stderr,
               "weir: ocr: rank %u: an EDT that another rank has sent cannot be made (code %u), and the program ends: "
               "it needs more memory\n",
               homes().here, static_cast<unsigned>(code));
  local.program.shut_down(code);
  return {code};
}

}  // namespace

Answer answer_fetch_template(Reader& body) {
  Template* const of = lock_object(templates(), Kind::edt_template, body.get<Guid>());
  if (of == nullptr) return {OCR_EINVAL};
  of->is_known_elsewhere = true;
  const EdtKind& kind = *of->kind;
  TemplateText text{{}, of->paramc, of->depc, kind.name != nullptr, of->hint.read()};
  of->word.unlock();
  text.function = address_of(kind);
  Writer answer;
  answer.put(text);
  put_name(answer, kind);
  return {0, answer.take()};
}

Answer answer_forget_template(Reader& body) {
  forget_far_template(body.get<Guid>());
  return {};
}

Answer answer_create_edt(Local& local, Reader& body) {
  const auto wanted = body.get<Wanted>();
  if (rank_of_hint(hint_value(wanted.hint, OCR_HINT_EDT_AFFINITY, 0)) >= 0) end_spread();
  Template of{};
  of.kind = get_kind(local, wanted.function, wanted.has_name, body);
  if (of.kind == nullptr) return {OCR_ENOTSUP};
  FarRequest request{};
  request.site = site_at(wanted.site);
  request.creator = creator_elsewhere(get_name(body));
  std::vector<u64> paramv = body.get_all<u64>();
  request.guid = wanted.label;
  request.paramc = of.paramc = static_cast<std::uint32_t>(paramv.size());
  request.depc = of.depc = body.get<std::uint32_t>();
  std::vector<ocrGuid_t> depv;
  if (wanted.has_depv) depv = body.get_all<ocrGuid_t>();
  ocrGuid_t guid, output = to_c(wanted.output);
  request.paramv = paramv.empty() ? nullptr : paramv.data();
  request.depv = wanted.has_depv ? depv.data() : nullptr;
  request.properties = static_cast<std::uint16_t>(wanted.properties | EDT_PROP_OEVT_VALID | kFarRequest);
  request.hint = wanted.hint.propMask == 0 ? nullptr : &wanted.hint;
  request.made = &guid;
  request.output = wanted.output.is_null() ? nullptr : &output;
  request.stand_in = wanted.stand_in;
  request.owns_output = wanted.owns_output;
  request.given = wanted.given;
  const u8 code = create_edt_here(local, of, request);
  if (wanted.given.count != 0) return code == 0 ? Answer{} : end_without_edt(local, code);
  if (code != 0) return {code};
  Writer answer;
  answer.put(from_c(guid)).put(request.first_slot);
  if (wanted.wants_guids) answer.put(give_guids());
  return {0, answer.take()};
}

}  // namespace weir::ocr
