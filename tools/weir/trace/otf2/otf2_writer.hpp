// SPDX-License-Identifier: Apache-2.0

// Otf2Writer: one runtime's trace as an OTF2 archive, in bounded memory. One thread.
#pragma once

#include <otf2/otf2.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "otf2/resolved_tracks.hpp"
#include "otf2/task_numbers.hpp"
#include "otf2/time_order.hpp"

namespace weir::tool::convert {

class Otf2Writer {
 public:
  static constexpr const char* kName = "traces";  // of the archive in its folder: traces.otf2

  // Takes what is in `tracks`. `runtime` outlives it.
  Otf2Writer(ResolvedTrace& tracks, const RuntimeInfo& runtime, const TimeScale& scale);

  // Into a folder that is not there yet; takes all events of the trace. io_error, with what the library said.
  base::Status write(const std::string& folder);

 private:
  struct Metric {
    std::string name, unit;
    bool accumulates;
  };
  // kAfter and those that follow: numbers of tasks that come before, as many as are given.
  enum Attribute : OTF2_AttributeRef { kTask, kItems, kBytes, kCancelled, kBlock, kEdges, kAfter };
  // So far, of one location.
  struct Sums {
    std::array<std::uint64_t, 256> moved{};  // bytes, by from << 4 | to
    std::uint64_t stolen = 0, evictions = 0, waiting = 0;
  };

  OTF2_StringRef text(const std::string& text);
  void write_text(OTF2_StringRef self);
  std::uint32_t metric(const std::string& name, const std::string& unit, bool accumulates);
  OTF2_RegionRef region(const std::string& name, OTF2_RegionRole role);
  OTF2_RegionRef region_of(const Event& event);
  OTF2_IoHandleRef link(std::uint8_t ends);
  std::string tier_name(std::uint8_t tier) const;
  std::string link_name(std::uint8_t ends) const;
  base::Status write_location(std::uint32_t track, const std::string& folder);
  void write_record(OTF2_EvtWriter* writer, const Record& record);
  void write_enter(OTF2_EvtWriter* writer, const Record& record);
  void add_attributes(OTF2_AttributeList* list, const Event& event);
  void add_footprint(OTF2_AttributeList* list, const Event& event);
  void write_task_record(OTF2_EvtWriter* writer, const Record& record);
  void write_move(OTF2_EvtWriter* writer, const Record& record);
  void write_instant(OTF2_EvtWriter* writer, const Record& record);
  void write_metric(OTF2_EvtWriter* writer, const Record& record, std::uint32_t metric, std::uint64_t sum);
  void write_definitions();
  void write_names(OTF2_GlobalDefWriter* writer);
  void write_team(OTF2_GlobalDefWriter* writer);
  void write_metrics(OTF2_GlobalDefWriter* writer);
  void write_links(OTF2_GlobalDefWriter* writer);
  void check(OTF2_ErrorCode code);

  ResolvedTrace& in_;
  const RuntimeInfo& runtime_;
  const TimeScale scale_;
  OTF2_Archive* archive_ = nullptr;
  OTF2_GlobalDefWriter* definitions_ = nullptr;  // while they are written
  OTF2_ErrorCode failure_ = OTF2_SUCCESS;        // the first one

  std::vector<std::uint64_t> events_;  // by location
  std::uint64_t last_ns_ = 0;
  std::map<std::string, OTF2_StringRef> texts_;
  std::vector<const std::string*> text_list_;
  std::map<std::string, OTF2_RegionRef> regions_;
  std::vector<std::pair<std::string, OTF2_RegionRole>> region_list_;
  std::unordered_map<std::uint64_t, OTF2_RegionRef> task_regions_;  // by what events mean the name by
  std::map<std::string, std::uint32_t> metrics_;
  std::vector<Metric> metric_list_;
  std::map<std::uint8_t, OTF2_IoHandleRef> links_;  // by from << 4 | to
  std::vector<std::uint8_t> link_list_;
  std::vector<Event> after_;  // edges of the task that is entered next
  Sums sums_;
};

}  // namespace weir::tool::convert
