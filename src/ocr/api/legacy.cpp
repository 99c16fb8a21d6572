// SPDX-License-Identifier: Apache-2.0

// Legacy mode: a program with its own main(), and waiting.
#include "ocr/extensions/ocr-legacy.h"

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>

#include "base/forever.hpp"
#include "ocr/api/api.hpp"
#include "ocr/blocks/block.hpp"
#include "ocr/blocks/holds.hpp"
#include "ocr/edts/finish_scope.hpp"
#include "ocr/edts/look_into.hpp"
#include "ocr/graph/event.hpp"
#include "ocr/graph/far_events.hpp"
#include "ocr/graph/wait.hpp"
#include "ocr/mail/refuse.hpp"
#include "ocr/objects/home.hpp"
#include "ocr/objects/label.hpp"
#include "ocr/observe/checking.hpp"
#include "ocr/system/config.hpp"
#include "ocr/system/system.hpp"

using namespace weir::ocr;

namespace {

ocrGuid_t context_of(const System& system) noexcept {
  return to_c(Guid::make(Kind::context, static_cast<std::uint32_t>(system.number() % Guid::kGenerations), 0));
}

[[noreturn]] void fail(const weir::base::Status& status) {
  std::fprintf(stderr, "weir: ocr: %s\n", status.message.c_str());
  std::exit(2);
}

// OCR_EINVAL unless it is an event that can be waited for.
u8 check_event(Local& local, Guid guid, u16 properties) {
  const bool waits = (properties & LEGACY_PROP_WAIT_FOR_CREATE) != 0;
  while (waits && !event_exists(guid) && !is_far(guid) && may_be_made(guid)) {
    const std::unique_ptr<LabelWatch> watch = local.watch_label(guid);
    if (event_exists(guid)) break;
    if (!watch->wait()) return OCR_ECANCELED;
  }
  const Sight sight = see(guid);
  const bool is_to_come = sight.kind == Kind::none && is_far(guid) && (properties & LEGACY_PROP_WAIT_FOR_CREATE) != 0;
  if (is_to_come) return 0;  // a dependence waits for that, too
  const bool possible = sight.kind == Kind::event && sight.type != EventType::collective;
  return !possible || ((properties & LEGACY_PROP_CHECK) != 0 && !sight.is_satisfied) ? OCR_EINVAL : 0;
}

// The same of a block of another rank: a copy, which goes back when the EDT releases it.
u8 enter_far_block(Local& local, Guid guid, void** result, u64* size) {
  if (local.current == nullptr)
    return refuse_across_ranks(local.program,
                               "a thread outside of EDTs looks into a data block of another rank that an event brings");
  Block* copy = nullptr;
  const u8 code = hold_far_block(local, guid, copy);
  if (size != nullptr) *size = copy == nullptr ? 0 : copy->size;
  if (result != nullptr) *result = copy == nullptr ? nullptr : copy->small();
  return code;
}

// Outside of EDTs nothing is held.
u8 show_block(Local& local, Guid guid, Block*& block, bool wants_data, std::byte*& data) {
  block = find_object(blocks(), Kind::block, guid);
  if (block == nullptr) return 0;
  u8 code = 0;
  if (!block->is_tiered())
    data = block->small();
  else if (wants_data)
    code = pin(local, *block, weir::Mode::concurrent, data);
  if (data != nullptr) checking::handed_out(data);
  return code;
}

// The running EDT holds the block from now on, as if it had made it. It waits for that if it looks into it.
u8 hold_block(Local& local, Guid guid, Block*& block, bool is_looked_at, std::byte*& data) {
  const u8 code = hold_for_running(local, guid, block, data);
  if (code != OCR_EAGAIN) return code;
  return is_looked_at ? wait_for_hold(local, guid, block, data) : u8{0};
}

u8 enter_block(Local& local, Guid guid, void** result, u64* size) {
  const bool is_looked_at = result != nullptr || size != nullptr;
  const bool is_elsewhere = guid.kind() == Kind::block && is_far(guid);
  if (is_elsewhere && is_looked_at) return enter_far_block(local, guid, result, size);
  Block* block = nullptr;
  std::byte* data = nullptr;
  u8 code = 0;
  if (!guid.is_null() && !is_elsewhere)
    code = local.current != nullptr ? hold_block(local, guid, block, is_looked_at, data)
                                    : show_block(local, guid, block, result != nullptr, data);
  if (size != nullptr) *size = block == nullptr ? 0 : block->size;
  if (result != nullptr) *result = data;
  return code;
}

// Waits for the event, and gets what it brings. 0 or an error code.
u8 wait_for_event(Local& local, Guid handle, Guid& block) {
  if (is_far(handle)) return wait_for_far(local, handle, block);
  std::unique_ptr<EventWaiter> waiter = make_waiter(local);
  if (const u8 code = add_dependent(local, handle, waiter_node(*waiter))) {
    local.program.count_waiting(waiter->in_edt, -1);
    return code;
  }
  if (!wait_for(local, waiter, {WaitedFor::What::event, handle})) return OCR_ECANCELED;
  block = waiter->block;
  return 0;
}

u8 block_progress(Local& local, Guid handle, ocrGuid_t* guid, void** result, u64* size, u16 properties) {
  if (const u8 code = check_event(local, handle, properties)) return code;
  Guid block;
  if (const u8 code = wait_for_event(local, handle, block)) return code;
  if (guid != nullptr) *guid = to_c(block);
  return enter_block(local, block, result, size);
}

}  // namespace

extern "C" {

void ocrParseArgs(int argc, const char* argv[], ocrConfig_t* ocrConfig) {
  if (ocrConfig == nullptr) return;
  // They last as long as the process, as argv does.
  static weir::base::Forever<std::deque<Arguments>> kept;
  weir::base::Result<Arguments> taken = take_arguments(argc, argv);
  if (!taken) fail(taken.status());
  Arguments& arguments = kept.value.emplace_back(std::move(*taken));
  arguments.left.push_back(nullptr);
  *ocrConfig = {static_cast<int>(arguments.left.size()) - 1, arguments.left.data(),
                arguments.file.empty() ? nullptr : arguments.file.c_str()};
}

void ocrLegacyInit(ocrGuid_t* legacyContext, ocrConfig_t* ocrConfig) {
  const bool has_file = ocrConfig != nullptr && ocrConfig->iniFile != nullptr;
  weir::base::Result<Config> config = read_config(has_file ? ocrConfig->iniFile : "");
  if (config && (!config->options.checkpoint.empty() || !config->options.restart.empty())) {
    fail({weir::base::Code::bad_option,
          "a program that begins OCR by ocrLegacyInit() makes no checkpoints, since its own main() would not go on: "
          "leave "
          "them out (WEIR_CHECKPOINT, WEIR_RESTART)"});
  }
  const weir::base::Status status = config ? System::start(config->options, config->report_at_end) : config.status();
  if (!status) fail(status);
  if (legacyContext != nullptr) *legacyContext = context_of(*System::running());
}

u8 ocrLegacyFinalize(ocrGuid_t legacyContext, bool runUntilShutdown) {
  System* const system = System::running();
  if (system == nullptr || from_c(context_of(*system)) != from_c(legacyContext)) return OCR_EINVAL;
  const Local* const caller = local();
  const bool is_in_edt = caller != nullptr && (caller->current != nullptr || edt_around(*caller) != nullptr);
  if (is_in_edt) return OCR_EPERM;
  const u8 code = runUntilShutdown ? system->run_until_shutdown() : system->program().exit_code();
  System::stop();
  return code;
}

u8 ocrLegacySpawnOCR(ocrGuid_t* handle, ocrGuid_t finishEdtTemplate, u64 paramc, u64* paramv, u64 depc, ocrGuid_t* depv,
                     ocrGuid_t) {
  if (handle == nullptr) return OCR_EINVAL;
  if (const u8 code = ocrEventCreate(handle, OCR_EVENT_STICKY_T, EVT_PROP_TAKES_ARG)) return code;
  const u8 code = ocrEdtCreate(nullptr, finishEdtTemplate, static_cast<u32>(paramc), paramc == 0 ? nullptr : paramv,
                               static_cast<u32>(depc), depv, EDT_PROP_FINISH | EDT_PROP_OEVT_VALID, nullptr, handle);
  if (code == 0) return 0;
  static_cast<void>(ocrEventDestroy(*handle));
  *handle = NULL_GUID;
  return code;
}

u8 ocrLegacyBlockProgress(ocrGuid_t handle, ocrGuid_t* guid, void** result, u64* size, u16 properties) {
  return in_program(
      [&](Local& local) { return block_progress(local, from_c(handle), guid, result, size, properties); });
}

ocrGuid_t ocrWait(ocrGuid_t outputEvent) {
  ocrGuid_t block = NULL_GUID;
  return ocrLegacyBlockProgress(outputEvent, &block, nullptr, nullptr, LEGACY_PROP_NONE) == 0 ? block : ERROR_GUID;
}

bool ocrLegacyIsChannelReady(ocrGuid_t channel) {
  bool is_ready = false;
  static_cast<void>(in_program([&](Local&) -> u8 {
    const Sight sight = see(from_c(channel));
    is_ready = sight.kind == Kind::event && sight.type == EventType::channel && sight.is_satisfied;
    return 0;
  }));
  return is_ready;
}

}  // extern "C"
