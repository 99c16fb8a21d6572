// SPDX-License-Identifier: Apache-2.0

#include "check/debug_info.hpp"

#include <dwarf.h>

#include <algorithm>

namespace weir::tool::check {

namespace {

template <class Visit>
void for_each_child(Dwarf_Die& die, Visit&& visit) {
  Dwarf_Die child;
  if (dwarf_child(&die, &child) != 0) return;
  do
    if (!visit(child)) return;
  while (dwarf_siblingof(&child, &child) == 0);
}

bool holds_functions(int tag) {
  return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
         tag == DW_TAG_union_type;
}

bool find_function(Dwarf_Die& around, Dwarf_Addr at, Dwarf_Die& found) {
  bool any = false;
  for_each_child(around, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram && dwarf_haspc(&child, at) == 1) {
      found = child;
      any = true;
    } else if (holds_functions(tag)) {
      any = find_function(child, at, found);
    }
    return !any;
  });
  return any;
}

void add_inlined(Dwarf_Die& around, Dwarf_Addr at, std::vector<Dwarf_Die>& functions) {
  for_each_child(around, [&](Dwarf_Die& child) {
    const int tag = dwarf_tag(&child);
    if ((tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) || dwarf_haspc(&child, at) != 1) return true;
    if (tag == DW_TAG_inlined_subroutine) functions.push_back(child);
    Dwarf_Die inner = child;
    add_inlined(inner, at, functions);
    return false;
  });
}

bool is_same(Dwarf_Die& a, Dwarf_Die& b) { return dwarf_dieoffset(&a) == dwarf_dieoffset(&b); }

Line line_of(Dwarf_Line* row) {
  Line line;
  const char* const file = dwarf_linesrc(row, nullptr, nullptr);
  if (dwarf_lineno(row, &line.number) != 0 || line.number == 0 || file == nullptr) return {};
  line.file = file;
  return line;
}

Line line_of_call(Dwarf_Die& unit, Dwarf_Die& inlined) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0, number = 0;
  Dwarf_Files* files = nullptr;
  if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &file) != 0 ||
      dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &number) != 0 || number == 0 ||
      dwarf_getsrcfiles(&unit, &files, nullptr) != 0)
    return {};
  const char* const name = dwarf_filesrc(files, file, nullptr, nullptr);
  return {name != nullptr ? name : "", static_cast<int>(number)};
}

// Of the instructions that are the function's own, the one whose line is known and that is nearest.
Line nearest_line(Dwarf_Die& unit, Dwarf_Die& outermost, Dwarf_Die& function, Dwarf_Addr at) {
  Dwarf_Lines* rows = nullptr;
  std::size_t count = 0;
  if (dwarf_getsrclines(&unit, &rows, &count) != 0) return {};
  struct Candidate {
    Dwarf_Addr distance, address;
    Dwarf_Line* row;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < count; ++i) {
    Dwarf_Line* const row = dwarf_onesrcline(rows, i);
    Dwarf_Addr address = 0;
    bool is_end = false;
    if (dwarf_lineaddr(row, &address) != 0 || dwarf_lineendsequence(row, &is_end) != 0 || is_end) continue;
    if (line_of(row).file.empty() || dwarf_haspc(&function, address) != 1) continue;
    candidates.push_back({address > at ? address - at : at - address, address, row});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  for (const Candidate& candidate : candidates) {
    std::vector<Dwarf_Die> functions{outermost};
    add_inlined(outermost, candidate.address, functions);
    if (is_same(functions.back(), function)) return line_of(candidate.row);
  }
  return {};
}

}  // namespace

std::vector<Dwarf_Die> functions_at(Dwarf_Die& unit, Dwarf_Addr at) {
  Dwarf_Die function;
  if (!find_function(unit, at, function)) return {};
  std::vector<Dwarf_Die> result{function};
  add_inlined(function, at, result);
  return result;
}

Line line_in(Dwarf_Die& unit, std::vector<Dwarf_Die>& functions, std::size_t depth, Dwarf_Addr at) {
  Line line;
  if (depth + 1 < functions.size())
    line = line_of_call(unit, functions[depth + 1]);
  else if (Dwarf_Line* const row = dwarf_getsrc_die(&unit, at))
    line = line_of(row);
  return line.file.empty() ? nearest_line(unit, functions[0], functions[depth], at) : line;
}

}  // namespace weir::tool::check
