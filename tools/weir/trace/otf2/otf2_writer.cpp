// SPDX-License-Identifier: Apache-2.0

#include "otf2/otf2_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <utility>

#include "interval_names.hpp"

namespace weir::tool::convert {

namespace {

constexpr std::uint64_t kEventChunk = std::uint64_t{1} << 20, kDefinitionChunk = std::uint64_t{4} << 20;

// Buffers are written out when they are full; the time that takes is not part of the trace.
OTF2_FlushType flush_always(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) { return OTF2_FLUSH; }
const OTF2_FlushCallbacks kFlush = {flush_always, nullptr};

// A buffer that has so many chunks is written out; left to itself the library takes 128 MB first.
constexpr std::size_t kMostChunks = 2;
using Chunks = std::vector<std::unique_ptr<std::byte[]>>;

void* allocate_chunk(void*, OTF2_FileType, OTF2_LocationRef, void** of_buffer, std::uint64_t bytes) {
  try {
    if (*of_buffer == nullptr) *of_buffer = new Chunks;
    Chunks& chunks = *static_cast<Chunks*>(*of_buffer);
    if (chunks.size() == kMostChunks) return nullptr;
    return chunks.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void free_chunks(void*, OTF2_FileType, OTF2_LocationRef, void** of_buffer, bool) {
  delete static_cast<Chunks*>(std::exchange(*of_buffer, nullptr));
}
// The library would print what is returned as well.
OTF2_ErrorCode say_nothing(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                           std::va_list) {
  return code;
}

const OTF2_MemoryCallbacks kMemory = {allocate_chunk, free_chunks};

struct FreeList {
  void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
};

}  // namespace

Otf2Writer::Otf2Writer(ResolvedTrace& tracks, const RuntimeInfo& runtime, const TimeScale& scale)
    : in_(tracks), runtime_(runtime), scale_(scale) {}

void Otf2Writer::check(OTF2_ErrorCode code) {
  if (failure_ == OTF2_SUCCESS) failure_ = code;
}

base::Status Otf2Writer::write(const std::string& folder) {
  OTF2_Error_RegisterCallback(&say_nothing, nullptr);
  archive_ = OTF2_Archive_Open(folder.c_str(), kName, OTF2_FILEMODE_WRITE, kEventChunk, kDefinitionChunk,
                               OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
  if (archive_ == nullptr) return {base::Code::io_error, fmt::format("{}: OTF2 cannot write there", folder)};
  check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_));
  check(OTF2_Archive_SetFlushCallbacks(archive_, &kFlush, nullptr));
  check(OTF2_Archive_SetMemoryCallbacks(archive_, &kMemory, nullptr));
  check(OTF2_Archive_SetCreator(archive_, "Weir"));
  check(OTF2_Archive_OpenEvtFiles(archive_));
  base::Status status;
  for (std::uint32_t track = 0; track < in_.by_track.size() && status; ++track) status = write_location(track, folder);
  check(OTF2_Archive_CloseEvtFiles(archive_));
  write_definitions();
  check(OTF2_Archive_Close(archive_));
  if (!status) return status;
  if (failure_ == OTF2_SUCCESS) return base::Status::success();
  return {base::Code::io_error, fmt::format("{}: OTF2: {}", folder, OTF2_Error_GetDescription(failure_))};
}

// ---- What is referred to by number ----

OTF2_StringRef Otf2Writer::text(const std::string& text) {
  const auto [place, is_new] = texts_.try_emplace(text, static_cast<OTF2_StringRef>(texts_.size()));
  if (is_new) text_list_.push_back(&place->first);
  if (is_new && definitions_ != nullptr) write_text(place->second);
  return place->second;
}

void Otf2Writer::write_text(OTF2_StringRef self) {
  check(OTF2_GlobalDefWriter_WriteString(definitions_, self, text_list_[self]->c_str()));
}

std::uint32_t Otf2Writer::metric(const std::string& name, const std::string& unit, bool accumulates) {
  const auto [place, is_new] = metrics_.try_emplace(name, static_cast<std::uint32_t>(metric_list_.size()));
  if (is_new) metric_list_.push_back({name, unit, accumulates});
  return place->second;
}

OTF2_RegionRef Otf2Writer::region(const std::string& name, OTF2_RegionRole role) {
  const auto [place, is_new] = regions_.try_emplace(name, static_cast<OTF2_RegionRef>(region_list_.size()));
  if (is_new) region_list_.emplace_back(name, role);
  return place->second;
}

OTF2_RegionRef Otf2Writer::region_of(const Event& event) {
  switch (event.kind()) {
    case Kind::task: {
      if (event.value() == 0) return region(task_name(runtime_, event), OTF2_REGION_ROLE_TASK);
      const auto [place, is_new] = task_regions_.try_emplace(event.value(), 0);
      if (is_new) place->second = region(task_name(runtime_, event), OTF2_REGION_ROLE_TASK);
      return place->second;
    }
    case Kind::spawn: return region("weir: spawn", OTF2_REGION_ROLE_TASK_CREATE);
    case Kind::wait: return region(fmt::format("weir: {}", wait_name(event)), OTF2_REGION_ROLE_TASK_WAIT);
    case Kind::search: return region("weir: look for work", OTF2_REGION_ROLE_ARTIFICIAL);
    case Kind::park: return region("weir: asleep", OTF2_REGION_ROLE_ARTIFICIAL);
    default: return region("weir: bring blocks", OTF2_REGION_ROLE_DATA_TRANSFER);
  }
}

OTF2_IoHandleRef Otf2Writer::link(std::uint8_t ends) {
  const auto [place, is_new] = links_.try_emplace(ends, static_cast<OTF2_IoHandleRef>(link_list_.size()));
  if (is_new) link_list_.push_back(ends);
  return place->second;
}

std::string Otf2Writer::tier_name(std::uint8_t tier) const {
  return tier < runtime_.tiers.size() ? runtime_.tiers[tier].name : "program";
}

std::string Otf2Writer::link_name(std::uint8_t ends) const {
  return tier_name(ends >> 4) + " to " + tier_name(ends & 15);
}

// ---- Events ----

base::Status Otf2Writer::write_location(std::uint32_t track, const std::string& folder) {
  UnitStack records(folder + ".records");
  put_in_order(in_.by_track[track], records, scale_);
  OTF2_EvtWriter* const writer = OTF2_Archive_GetEvtWriter(archive_, track);
  events_.push_back(0);
  if (writer == nullptr) {
    check(OTF2_ERROR_INVALID_ARGUMENT);
    return base::Status::success();
  }
  sums_ = {};
  for (Event unit; records.pop(unit);) {
    write_record(writer, Record(unit));
    last_ns_ = std::max(last_ns_, unit.start);
  }
  check(OTF2_EvtWriter_GetNumberOfEvents(writer, &events_.back()));
  check(OTF2_Archive_CloseEvtWriter(archive_, writer));
  return in_.by_track[track].status() ? records.status() : in_.by_track[track].status();
}

void Otf2Writer::write_record(OTF2_EvtWriter* writer, const Record& record) {
  const Event& event = record.unit();
  switch (record.does()) {
    case Does::come_after: return after_.push_back(event);
    case Does::enter: return write_enter(writer, record);
    case Does::leave:
      check(OTF2_EvtWriter_Leave(writer, nullptr, record.ns(), region_of(event)));
      return write_task_record(writer, record);
    case Does::resume: return write_task_record(writer, record);
    case Does::begin_move: return write_move(writer, record);
    case Does::end_move:
      check(OTF2_EvtWriter_IoOperationComplete(writer, nullptr, record.ns(), link(event.small()), event.value(),
                                               record.move()));
      return write_metric(writer, record, metric(link_name(event.small()), "B", true),
                          sums_.moved[event.small()] += event.value());
    case Does::wait_more:
      return write_metric(writer, record, metric("tasks that wait for data", "#", false), ++sums_.waiting);
    case Does::wait_less:
      return write_metric(writer, record, metric("tasks that wait for data", "#", false), --sums_.waiting);
    case Does::happen: return write_instant(writer, record);
  }
}

void Otf2Writer::write_enter(OTF2_EvtWriter* writer, const Record& record) {
  const std::unique_ptr<OTF2_AttributeList, FreeList> list(OTF2_AttributeList_New());
  add_attributes(list.get(), record.unit());
  write_task_record(writer, record);
  check(OTF2_EvtWriter_Enter(writer, list.get(), record.ns(), region_of(record.unit())));
}

void Otf2Writer::add_footprint(OTF2_AttributeList* list, const Event& event) {
  check(OTF2_AttributeList_AddUint64(list, kItems, event.small()));
  check(OTF2_AttributeList_AddUint64(list, kBytes, event.value()));
}

// The format has no record for edges: a task's entry says which tasks it comes after.
void Otf2Writer::add_attributes(OTF2_AttributeList* list, const Event& event) {
  if (event.kind() == Kind::search || event.kind() == Kind::park || event.kind() == Kind::wait) return;
  check(OTF2_AttributeList_AddUint64(list, kTask, task_number(event.id)));
  if (event.kind() == Kind::spawn) add_footprint(list, event);
  if (event.kind() == Kind::task && TaskSmall(event.small()).cancelled())
    check(OTF2_AttributeList_AddUint64(list, kCancelled, 1));
  OTF2_AttributeRef attribute = kAfter;
  for (const Event& of_it : after_) {
    if (of_it.kind() == Kind::footprint) {
      add_footprint(list, of_it);
      continue;
    }
    if (attribute == kAfter) check(OTF2_AttributeList_AddUint64(list, kEdges, of_it.value()));
    check(OTF2_AttributeList_AddUint64(list, attribute++, of_it.id));
  }
  after_.clear();
}

// What tools draw arrows and count tasks from: made in its spawn, by whose thread, and done where it has run.
void Otf2Writer::write_task_record(OTF2_EvtWriter* writer, const Record& record) {
  const Event& event = record.unit();
  const bool runs = event.kind() == Kind::task;
  const std::uint32_t self = task_number(event.id), by = made_on(event.id);
  if ((!runs && event.kind() != Kind::spawn) || self == 0 || by == TaskNumbers::kNobody) return;
  if (runs && record.does() != Does::leave) {
    check(OTF2_EvtWriter_ThreadTaskSwitch(writer, nullptr, record.ns(), 0, by, self));
  } else if (runs) {
    check(OTF2_EvtWriter_ThreadTaskComplete(writer, nullptr, record.ns(), 0, by, self));
  } else if (record.does() == Does::leave) {
    check(OTF2_EvtWriter_ThreadTaskCreate(writer, nullptr, record.ns(), 0, by, self));
  }
}

void Otf2Writer::write_move(OTF2_EvtWriter* writer, const Record& record) {
  const Event& event = record.unit();
  const std::unique_ptr<OTF2_AttributeList, FreeList> list(OTF2_AttributeList_New());
  check(OTF2_AttributeList_AddStringRef(
      list.get(), kBlock, text(event.id < runtime_.blocks.size() ? runtime_.blocks[event.id].name : "?")));
  const OTF2_IoHandleRef handle = link(event.small());
  check(OTF2_EvtWriter_IoOperationBegin(writer, list.get(), record.ns(), handle, OTF2_IO_OPERATION_MODE_WRITE,
                                        OTF2_IO_OPERATION_FLAG_NON_BLOCKING, event.value(), record.move()));
  check(OTF2_EvtWriter_IoOperationIssued(writer, nullptr, record.ns(), handle, record.move()));
}

void Otf2Writer::write_instant(OTF2_EvtWriter* writer, const Record& record) {
  const Event& event = record.unit();
  switch (event.kind()) {
    case Kind::steal:
      return write_metric(writer, record, metric("tasks stolen", "#", true), sums_.stolen += event.value());
    case Kind::evict: return write_metric(writer, record, metric("evictions", "#", true), ++sums_.evictions);
    default: return write_metric(writer, record, metric("in " + tier_name(event.small()), "B", false), event.id);
  }
}

void Otf2Writer::write_metric(OTF2_EvtWriter* writer, const Record& record, std::uint32_t metric, std::uint64_t sum) {
  const OTF2_Type type = OTF2_TYPE_UINT64;
  OTF2_MetricValue value;
  value.unsigned_int = sum;
  check(OTF2_EvtWriter_Metric(writer, nullptr, record.ns(), metric, 1, &type, &value));
}

// ---- Definitions ----

void Otf2Writer::write_definitions() {
  check(OTF2_Archive_OpenDefFiles(archive_));
  for (std::uint32_t track = 0; track < in_.by_track.size(); ++track) {
    check(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, track)));
  }
  check(OTF2_Archive_CloseDefFiles(archive_));
  OTF2_GlobalDefWriter* const writer = OTF2_Archive_GetGlobalDefWriter(archive_);
  if (writer == nullptr) return check(OTF2_ERROR_INVALID_ARGUMENT);
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  const auto now = static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count());
  const std::uint64_t end = std::max(last_ns_, scale_.ns(runtime_.summary.end));
  check(OTF2_GlobalDefWriter_WriteClockProperties(writer, 1'000'000'000, 0, end + 1, now - end));
  definitions_ = writer;
  for (OTF2_StringRef i = 0; i < text_list_.size(); ++i)
    write_text(i);  // a text that is new from here on is defined before what refers to it
  write_names(writer);
  write_team(writer);
  write_metrics(writer);
  write_links(writer);
  check(OTF2_Archive_CloseGlobalDefWriter(archive_, writer));
}

void Otf2Writer::write_names(OTF2_GlobalDefWriter* writer) {
  check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, 0, text(runtime_.summary.machine), text("machine"),
                                                 OTF2_UNDEFINED_SYSTEM_TREE_NODE));
  check(OTF2_GlobalDefWriter_WriteLocationGroup(writer, 0, text(fmt::format("weir runtime {}", runtime_.number)),
                                                OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
  for (std::size_t i = 0; i < in_.by_track.size(); ++i) {
    check(OTF2_GlobalDefWriter_WriteLocation(writer, i, text(runtime_.tracks[i].name), OTF2_LOCATION_TYPE_CPU_THREAD,
                                             events_[i], 0));
  }
  for (std::size_t i = 0; i < region_list_.size(); ++i) {
    const OTF2_StringRef name = text(region_list_[i].first);
    check(OTF2_GlobalDefWriter_WriteRegion(writer, static_cast<OTF2_RegionRef>(i), name, name, text(""),
                                           region_list_[i].second, OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, text(""),
                                           0, 0));
  }
  const auto attribute = [&](Attribute self, const char* name, const char* what, OTF2_Type type) {
    check(OTF2_GlobalDefWriter_WriteAttribute(writer, self, text(name), text(what), type));
  };
  attribute(kTask, "task", "number of the task", OTF2_TYPE_UINT64);
  attribute(kItems, "items", "of its footprint", OTF2_TYPE_UINT64);
  attribute(kBytes, "bytes", "of its footprint", OTF2_TYPE_UINT64);
  attribute(kCancelled, "cancelled", "its scope had failed: it was not run", OTF2_TYPE_UINT64);
  attribute(kBlock, "block", "name of the block", OTF2_TYPE_STRING);
  attribute(kEdges, "edges", "how many tasks it comes after", OTF2_TYPE_UINT64);
  for (std::uint32_t i = 0; i < TaskNumbers::kMostAfter; ++i) {
    const std::string name = fmt::format("after {}", i + 1);
    check(OTF2_GlobalDefWriter_WriteAttribute(writer, kAfter + i, text(name),
                                              text("number of a task that it comes after"), OTF2_TYPE_UINT64));
  }
}

// All threads, which records of tasks refer to by their places in it.
void Otf2Writer::write_team(OTF2_GlobalDefWriter* writer) {
  std::vector<std::uint64_t> members(in_.by_track.size());
  std::iota(members.begin(), members.end(), std::uint64_t{0});
  const auto count = static_cast<std::uint32_t>(members.size());
  check(OTF2_GlobalDefWriter_WriteGroup(writer, 0, text("threads"), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_USER,
                                        OTF2_GROUP_FLAG_NONE, count, members.data()));
  check(OTF2_GlobalDefWriter_WriteGroup(writer, 1, text("workers"), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_USER,
                                        OTF2_GROUP_FLAG_NONE, count, members.data()));
  check(OTF2_GlobalDefWriter_WriteComm(writer, 0, text("workers"), 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

void Otf2Writer::write_metrics(OTF2_GlobalDefWriter* writer) {
  for (std::uint32_t i = 0; i < metric_list_.size(); ++i) {
    const Metric& metric = metric_list_[i];
    check(OTF2_GlobalDefWriter_WriteMetricMember(
        writer, i, text(metric.name), text(""), OTF2_METRIC_TYPE_OTHER,
        metric.accumulates ? OTF2_METRIC_ACCUMULATED_POINT : OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
        OTF2_BASE_DECIMAL, 0, text(metric.unit)));
    check(OTF2_GlobalDefWriter_WriteMetricClass(writer, i, 1, &i, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
  }
}

void Otf2Writer::write_links(OTF2_GlobalDefWriter* writer) {
  if (link_list_.empty()) return;
  check(OTF2_GlobalDefWriter_WriteIoParadigm(writer, 0, text("WEIR"), text("moves between tiers"),
                                             OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_NONE, 0, nullptr,
                                             nullptr, nullptr));
  for (std::uint32_t i = 0; i < link_list_.size(); ++i) {
    const OTF2_StringRef name = text(link_name(link_list_[i]));
    check(OTF2_GlobalDefWriter_WriteIoRegularFile(writer, i, name, 0));
    check(OTF2_GlobalDefWriter_WriteIoHandle(writer, i, name, i, 0, OTF2_IO_HANDLE_FLAG_PRE_CREATED,
                                             OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE));
    check(OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(writer, i, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                                            OTF2_IO_STATUS_FLAG_NONE));
  }
}

}  // namespace weir::tool::convert
