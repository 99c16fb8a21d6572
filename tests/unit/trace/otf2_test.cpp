// SPDX-License-Identifier: Apache-2.0

// The archive of real runs, read back with the library: totals are those of the runtime's counters.
#include <gtest/gtest.h>
#include <otf2/otf2.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "otf2/otf2_file.hpp"
#include "temporary_path.hpp"
#include "weir/weir.hpp"

namespace weir::tool::convert {
namespace {

using trace::TemporaryPath;

// What is in an archive.
struct Archive {
  std::map<OTF2_StringRef, std::string> texts;
  std::map<OTF2_RegionRef, OTF2_StringRef> regions;
  std::map<OTF2_MetricMemberRef, OTF2_StringRef> metrics;
  std::map<OTF2_IoHandleRef, OTF2_StringRef> handles;
  std::vector<OTF2_LocationRef> locations;
  std::map<std::string, long> enters, leaves;
  std::map<std::string, std::map<OTF2_LocationRef, std::uint64_t>> last;  // of metrics
  std::map<std::string, std::uint64_t> moved;                             // bytes, by link
  std::map<OTF2_LocationRef, std::vector<OTF2_RegionRef>> open;
  std::map<OTF2_LocationRef, OTF2_TimeStamp> now;
  long moves_begun = 0, moves_ended = 0;
  std::map<std::uint32_t, OTF2_LocationRef> made;             // tasks, by number: where
  std::map<std::uint32_t, long> switched, completed;          // by number
  std::map<std::uint64_t, std::vector<std::uint64_t>> after;  // of each task that runs, by number
  bool in_order = true, nested = true;

  std::uint64_t sum(const std::string& metric) const {
    std::uint64_t result = 0;
    if (const auto found = last.find(metric); found != last.end()) {
      for (const auto& [location, value] : found->second) result += value;
    }
    return result;
  }
  void pass(OTF2_LocationRef location, OTF2_TimeStamp time) {
    in_order = in_order && time >= now[location];
    now[location] = time;
  }
};

Archive& of(void* user) { return *static_cast<Archive*>(user); }

OTF2_CallbackCode on_string(void* user, OTF2_StringRef self, const char* text) {
  of(user).texts[self] = text;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_region(void* user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                            OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, uint32_t, uint32_t) {
  EXPECT_TRUE(of(user).texts.contains(name)) << "a region before its name";
  of(user).regions[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_location(void* user, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType, uint64_t,
                              OTF2_LocationGroupRef) {
  of(user).locations.push_back(self);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_metric_member(void* user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef,
                                   OTF2_MetricType, OTF2_MetricMode, OTF2_Type, OTF2_Base, int64_t, OTF2_StringRef) {
  of(user).metrics[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_handle(void* user, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef, OTF2_IoParadigmRef,
                            OTF2_IoHandleFlag, OTF2_CommRef, OTF2_IoHandleRef) {
  of(user).handles[self] = name;
  return OTF2_CALLBACK_SUCCESS;
}

// Attributes by number: 0 the task, 5 how many it comes after, 6 and on which.
OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList* list,
                           OTF2_RegionRef region) {
  Archive& archive = of(user);
  if (OTF2_AttributeList_TestAttributeByID(list, 5)) {
    std::uint64_t edges = 0, task = 0, before = 0;
    EXPECT_EQ(OTF2_AttributeList_GetUint64(list, 5, &edges), OTF2_SUCCESS);
    EXPECT_EQ(OTF2_AttributeList_GetUint64(list, 0, &task), OTF2_SUCCESS);
    for (std::uint32_t i = 0; i < edges && i < 16; ++i) {
      EXPECT_EQ(OTF2_AttributeList_GetUint64(list, 6 + i, &before), OTF2_SUCCESS);
      archive.after[task].push_back(before);
    }
  }
  archive.pass(location, time);
  ++archive.enters[archive.texts.at(archive.regions.at(region))];
  archive.open[location].push_back(region);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                           OTF2_RegionRef region) {
  Archive& archive = of(user);
  archive.pass(location, time);
  ++archive.leaves[archive.texts.at(archive.regions.at(region))];
  std::vector<OTF2_RegionRef>& open = archive.open[location];
  archive.nested = archive.nested && !open.empty() && open.back() == region;
  if (!open.empty()) open.pop_back();
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_task_made(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                               OTF2_CommRef team, uint32_t thread, uint32_t task) {
  Archive& archive = of(user);
  archive.pass(location, time);
  EXPECT_EQ(team, 0u);
  EXPECT_EQ(thread, location);
  EXPECT_TRUE(archive.made.emplace(task, location).second);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_task_begins(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                                 OTF2_CommRef, uint32_t, uint32_t task) {
  of(user).pass(location, time);
  ++of(user).switched[task];
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_task_done(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                               OTF2_CommRef, uint32_t, uint32_t task) {
  of(user).pass(location, time);
  ++of(user).completed[task];
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_metric(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                            OTF2_MetricRef metric, uint8_t, const OTF2_Type*, const OTF2_MetricValue* values) {
  Archive& archive = of(user);
  archive.pass(location, time);
  archive.last[archive.texts.at(archive.metrics.at(metric))][location] = values[0].unsigned_int;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_move(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                          OTF2_IoHandleRef, OTF2_IoOperationMode, OTF2_IoOperationFlag, uint64_t, uint64_t) {
  of(user).pass(location, time);
  ++of(user).moves_begun;
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode on_moved(OTF2_LocationRef location, OTF2_TimeStamp time, void* user, OTF2_AttributeList*,
                           OTF2_IoHandleRef handle, uint64_t bytes, uint64_t) {
  Archive& archive = of(user);
  archive.pass(location, time);
  ++archive.moves_ended;
  archive.moved[archive.texts.at(archive.handles.at(handle))] += bytes;
  return OTF2_CALLBACK_SUCCESS;
}

void read_definitions(OTF2_Reader* reader, Archive& archive) {
  OTF2_GlobalDefReader* const definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* const on = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(on, on_string);
  OTF2_GlobalDefReaderCallbacks_SetRegionCallback(on, on_region);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on, on_location);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(on, on_metric_member);
  OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(on, on_handle);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, on, &archive);
  OTF2_GlobalDefReaderCallbacks_Delete(on);
  std::uint64_t count = 0;
  EXPECT_EQ(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &count), OTF2_SUCCESS);
  OTF2_Reader_CloseGlobalDefReader(reader, definitions);
}

void read_events(OTF2_Reader* reader, Archive& archive) {
  for (const OTF2_LocationRef location : archive.locations) OTF2_Reader_SelectLocation(reader, location);
  EXPECT_EQ(OTF2_Reader_OpenDefFiles(reader), OTF2_SUCCESS);
  EXPECT_EQ(OTF2_Reader_OpenEvtFiles(reader), OTF2_SUCCESS);
  for (const OTF2_LocationRef location : archive.locations) {
    OTF2_DefReader* const definitions = OTF2_Reader_GetDefReader(reader, location);
    std::uint64_t count = 0;
    if (definitions != nullptr) OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &count);
    OTF2_Reader_GetEvtReader(reader, location);
  }
  OTF2_GlobalEvtReader* const events = OTF2_Reader_GetGlobalEvtReader(reader);
  OTF2_GlobalEvtReaderCallbacks* const on = OTF2_GlobalEvtReaderCallbacks_New();
  OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(on, on_enter);
  OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(on, on_leave);
  OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(on, on_metric);
  OTF2_GlobalEvtReaderCallbacks_SetThreadTaskCreateCallback(on, on_task_made);
  OTF2_GlobalEvtReaderCallbacks_SetThreadTaskSwitchCallback(on, on_task_begins);
  OTF2_GlobalEvtReaderCallbacks_SetThreadTaskCompleteCallback(on, on_task_done);
  OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(on, on_move);
  OTF2_GlobalEvtReaderCallbacks_SetIoOperationCompleteCallback(on, on_moved);
  OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, on, &archive);
  OTF2_GlobalEvtReaderCallbacks_Delete(on);
  std::uint64_t count = 0;
  EXPECT_EQ(OTF2_Reader_ReadAllGlobalEvents(reader, events, &count), OTF2_SUCCESS);
  OTF2_Reader_CloseGlobalEvtReader(reader, events);
}

Archive read(const std::string& folder) {
  Archive archive;
  OTF2_Reader* const reader = OTF2_Reader_Open((folder + "/traces.otf2").c_str());
  EXPECT_NE(reader, nullptr) << folder;
  if (reader == nullptr) return archive;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);
  read_definitions(reader, archive);
  read_events(reader, archive);
  OTF2_Reader_Close(reader);
  EXPECT_TRUE(archive.in_order);
  EXPECT_TRUE(archive.nested);
  EXPECT_EQ(archive.enters, archive.leaves);
  return archive;
}

Options traced(const TemporaryPath& path, int workers) {
  Options options;
  options.workers = workers;
  options.trace = path.file();
  return options;
}

base::Status write_archive(const TemporaryPath& path) {
  const auto reader = TraceReader::open(path.file());
  return reader ? write_otf2(*reader, path.folder() + "/run.otf2") : reader.status();
}

// What the archive of the recorded run holds; the trace is gone afterwards.
Archive archive_of(const TemporaryPath& path) {
  const base::Status written = write_archive(path);
  EXPECT_TRUE(written) << written.message;
  std::filesystem::remove(path.file());
  return read(path.folder() + "/run.otf2");
}

TEST(Otf2, HasTasksByNameAndAddsUpToTheCounters) {
  const TemporaryPath path;
  Statistics statistics;
  {
    Runtime runtime(traced(path, 3));
    long values[16] = {};
    for (int i = 0; i < 500; ++i) runtime.spawn(name("add"), inout(values[i % 16]), [](long& to) { ++to; });
    runtime.spawn(name("parent"), [] {
      for (int i = 0; i < 20; ++i) spawn([] {});
      wait();
    });
    runtime.wait();
    statistics = runtime.statistics();
  }
  const Archive archive = archive_of(path);
  EXPECT_EQ(archive.enters.at("add"), 500);
  EXPECT_EQ(archive.enters.at("parent"), 1);
  EXPECT_EQ(archive.enters.at("task"), 20);
  EXPECT_EQ(archive.enters.at("weir: spawn"), 521);
  EXPECT_EQ(statistics.tasks_run, 521u);
  EXPECT_EQ(archive.sum("tasks stolen"), statistics.tasks_stolen);
  EXPECT_EQ(path.files(), 1);
}

// One worker does not run tasks before its thread waits: all edges of a chain are there.
TEST(Otf2, SaysWhereTasksWereMadeAndDoneAndWhatTheyComeAfter) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path, 1));
    long value = 0;
    for (int i = 0; i < 100; ++i) runtime.spawn(name("link"), inout(value), [&value] { ++value; });
    runtime.wait();
  }
  const Archive archive = archive_of(path);
  EXPECT_EQ(archive.made.size(), 100u);
  EXPECT_EQ(archive.switched.size(), 100u);
  EXPECT_EQ(archive.switched, archive.completed);
  ASSERT_EQ(archive.after.size(), 99u);
  for (const auto& [task, before] : archive.after) EXPECT_EQ(before, std::vector{task - 1});
}

TEST(Otf2, SaysThatATaskGoesOnAfterThoseThatRanOnTopOfIt) {
  const TemporaryPath path;
  {
    Runtime runtime(traced(path, 1));
    runtime.spawn(name("outer"), [] {
      for (int i = 0; i < 3; ++i) weir::spawn(name("inner"), [] {});
      weir::wait();
    });
    runtime.wait();
  }
  const Archive archive = archive_of(path);
  EXPECT_EQ(archive.enters.at("outer"), 1);
  EXPECT_EQ(archive.enters.at("inner"), 3);
  long once = 0, resumed = 0;
  for (const auto& [task, times] : archive.switched) {
    EXPECT_EQ(archive.completed.at(task), 1);
    once += times == 1 ? 1 : 0;
    resumed += times == 4 ? 1 : 0;  // begun, and after each of the three
  }
  EXPECT_EQ(once, 3);
  EXPECT_EQ(resumed, 1);
}

TEST(Otf2, HasTheBytesThatBlocksMovedAndWhatTiersHeld) {
  const TemporaryPath path;
  TierStatistics statistics;
  {
    Options options = traced(path, 2);
    options.tiers = "memory=1MiB,file=" + path.folder() + ":64MiB";
    Runtime runtime(options);
    Array<double, 1> blocks(runtime, {64 * 8192}, {8192}, "blocks");
    for (int round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < 64; ++i) {
        runtime.spawn(name("touch"), inout(blocks.tile(i)), [](std::span<double> tile) { tile[0] += 1; });
      }
      runtime.wait();  // else all touches of a block may come while it is there, and none has to come back
    }
    statistics = runtime.tier_statistics();
  }
  const Archive archive = archive_of(path);
  EXPECT_GT(archive.moves_begun, 0);
  EXPECT_EQ(archive.moves_begun, archive.moves_ended);
  EXPECT_GT(archive.moved.at("file to memory"), 0u);
  EXPECT_EQ(archive.moved.at("file to memory"), archive.sum("file to memory"));
  EXPECT_EQ(archive.moved.at("memory to file"), archive.sum("memory to file"));
  EXPECT_EQ(archive.moved.at("file to memory"), statistics.bytes_fetched);
  EXPECT_EQ(archive.sum("tasks that wait for data"), 0u);  // at the end
  EXPECT_TRUE(archive.last.contains("in memory"));
  EXPECT_TRUE(archive.last.contains("in file"));
}

TEST(Otf2, OfSeveralRuntimesIsAnArchiveForEach) {
  const TemporaryPath path;
  for (int i = 0; i < 2; ++i) {
    Runtime runtime(traced(path, 1));
    for (int task = 0; task <= i; ++task) runtime.spawn(name("one"), [] {});
    runtime.wait();
  }
  EXPECT_EQ(archive_of(path).enters.at("one"), 1);
  EXPECT_EQ(read(path.folder() + "/run-2.otf2").enters.at("one"), 2);
  EXPECT_EQ(path.files(), 2);
}

TEST(Otf2, ReplacesAnArchiveAndNothingElse) {
  const TemporaryPath path;
  const std::string folder = path.folder() + "/run.otf2";
  {
    Runtime runtime(traced(path, 1));
    runtime.spawn(name("one"), [] {});
    runtime.wait();
  }
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/precious") << "text";
  EXPECT_FALSE(check_otf2(folder));
  EXPECT_FALSE(write_archive(path));
  EXPECT_TRUE(std::filesystem::exists(folder + "/precious"));
  std::ofstream(folder + "/traces.otf2") << "of another run";
  EXPECT_EQ(archive_of(path).enters.at("one"), 1);
  EXPECT_FALSE(check_otf2(path.folder() + "/no/run.otf2"));
}

}  // namespace
}  // namespace weir::tool::convert
