// SPDX-License-Identifier: Apache-2.0

// ObjectLocal: what this layer keeps per worker: lists of free objects, the running EDT, and where EDTs come from.
//
// As for ProgramLocal, the thread that is the worker uses it, and no other.
#pragma once

#include <cstdint>
#include <memory>

#include "ocr/objects/given_guids.hpp"
#include "ocr/objects/origin.hpp"
#include "ocr/objects/running.hpp"
#include "ocr/objects/tables.hpp"
#include "ocr/program/program.hpp"

namespace weir::ocr {

// Indices that one worker gives to the EDTs it makes.
struct EdtIndices {
  std::uint32_t next = 0, end = 0;
};

// A thread that looks at a label's object again whenever one is made or given up.
class LabelWatch {
 public:
  virtual ~LabelWatch() = default;
  // Once. False: the program ends.
  [[nodiscard]] virtual bool wait() = 0;
};

struct ObjectLocal : ProgramLocal {
  using ProgramLocal::ProgramLocal;

  Run* current = nullptr;  // null: outside of EDTs
  bool performs = false;   // what another rank asks: it is in no EDT, whatever waits on this thread
  bool restores = false;   // with GUID_PROP_IS_LABELED objects get GUIDs that they had in an earlier run, labels or not
  ObjectTable<Event>::FreeList events;
  ObjectTable<Block>::FreeList blocks;
  EdtIndices edts;
  GuidStock given;  // of EDTs that it makes on other ranks
  Origins origins;
  ObjectTable<Template>::FreeList templates;

  const EdtKind* maker() const noexcept { return current == nullptr ? nullptr : current->edt.kind(); }

  // ---- What the layer above is notified of, while anything waits for a label (objects/label.hpp). ----

  // The data block of a label has been made, and is locked: nothing finds it yet. on_label_made() follows.
  virtual void on_label_taken(Guid label) = 0;
  // The object of a label has been made; its lock was given up.
  virtual void on_label_made(Guid label) = 0;
  // It has been given up: another may be made.
  virtual void on_label_left(Guid label) noexcept = 0;
  // Make one, look at the object, then wait. Throws std::bad_alloc.
  virtual std::unique_ptr<LabelWatch> watch_label(Guid label) = 0;

 protected:
  ~ObjectLocal() = default;
};

}  // namespace weir::ocr
