// Otf2Writer: one recording as an OTF2 archive. One thread.
#pragma once

#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "trace/otf2/recording.hpp"

namespace weir::trace {

class Otf2Writer {
 public:
  static constexpr const char* kName = "traces";  // of the archive in its folder: traces.otf2

  // `runtime`: 1 for the first of the process.
  Otf2Writer(const Recording& recording, int runtime);

  // Into a folder that is not there yet. io_error, with what the library said.
  base::Status write(const std::string& folder);

 private:
  enum class Does : std::uint8_t { enter, leave, resume, begin_move, end_move, metric };
  struct Record {
    std::uint64_t ns;
    const Event* event;
    Does does;
    std::uint64_t value;  // of a metric, or the number of a move
    std::uint32_t metric = 0;
  };
  struct Metric {
    std::string name, unit;
    bool accumulates;
  };
  // kAfter and those that follow: numbers of tasks that come before, as many as are given.
  enum Attribute : OTF2_AttributeRef { kTask, kItems, kBytes, kCancelled, kBlock, kEdges, kAfter };
  static constexpr std::size_t kMostAfter = 16;

  OTF2_StringRef text(const std::string& text);
  void write_text(OTF2_StringRef self);
  std::uint32_t metric(const std::string& name, const std::string& unit, bool accumulates);
  OTF2_RegionRef region(const std::string& name, OTF2_RegionRole role);
  OTF2_RegionRef region_of(const Event& event);
  OTF2_IoHandleRef link(std::uint8_t ends);
  std::uint64_t number(std::uint64_t task);
  void number_tasks();
  void add_edges(OTF2_AttributeList* list, std::uint64_t task);
  void write_task_record(OTF2_EvtWriter* writer, const Record& record);
  void write_team(OTF2_GlobalDefWriter* writer);
  std::vector<Record> records_of(std::uint32_t track);
  void add_intervals(std::uint32_t track, std::vector<Record>& records) const;
  void add_others(std::uint32_t track, std::vector<Record>& records);
  void write_location(std::uint32_t track);
  void write_record(OTF2_EvtWriter* writer, const Record& record);
  void add_attributes(OTF2_AttributeList* list, const Event& event);
  void write_definitions();
  void write_names(OTF2_GlobalDefWriter* writer);
  void write_metrics(OTF2_GlobalDefWriter* writer);
  void write_links(OTF2_GlobalDefWriter* writer);
  void check(OTF2_ErrorCode code);

  const Recording& in_;
  const int runtime_;
  const TimeScale& scale_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;  // while they are written
  OTF2_ErrorCode failure_ = OTF2_SUCCESS;        // the first one

  std::vector<std::uint64_t> events_;  // by location
  std::uint64_t last_ns_ = 0;
  std::map<std::string, OTF2_StringRef> texts_;
  std::vector<const std::string*> text_list_;
  std::map<std::string, OTF2_RegionRef> regions_;
  std::vector<std::pair<std::string, OTF2_RegionRole>> region_list_;
  std::unordered_map<std::uint64_t, OTF2_RegionRef> task_regions_;  // by address of the name
  std::map<std::string, std::uint32_t> metrics_;
  std::vector<Metric> metric_list_;
  std::map<std::uint8_t, OTF2_IoHandleRef> links_;  // by from << 4 | to
  std::vector<std::uint8_t> link_list_;
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;     // of tasks, from 1
  std::unordered_map<std::uint64_t, std::uint32_t> spawned_on_;  // track, by task
  std::vector<std::pair<std::uint64_t, std::uint64_t>> edges_;   // later task, earlier task; sorted
};

}  // namespace weir::trace
