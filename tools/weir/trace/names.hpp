// SPDX-License-Identifier: Apache-2.0

// What converters use of src/trace, under their own namespace.
#pragma once

#include "trace/records.hpp"

namespace weir::tool::convert {

using trace::AccessRecord;
using trace::BlockKind;
using trace::Chunk;
using trace::ChunkCursor;
using trace::ChunkKind;
using trace::DataWait;
using trace::Definition;
using trace::Event;
using trace::Kind;
using trace::RecordParser;
using trace::RecordVisitor;
using trace::RuntimeInfo;
using trace::Summary;
using trace::TaskSmall;
using trace::TierInfo;
using trace::TimeScale;
using trace::TraceReader;

}  // namespace weir::tool::convert
