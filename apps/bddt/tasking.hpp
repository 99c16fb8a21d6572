// SPDX-License-Identifier: Apache-2.0

// What a program needs of a task runtime, and how little that is: an ordinary row-major array, sections of it as
// footprint items, and a way to make a task. A program is a template over `Tasks`, which is
//
//   Tasks(workers)                                  starts the runtime, or throws
//   tasks.array<T>(rows, cols, block_rows, block_cols)
//                                                   an array of zeros that begins with a line of cache; the blocks are
//                                                   the unit in which its tasks depend on each other
//   array.data(), array.stride(), array.tile(row, column, rows, columns)
//   tasks.task(name, function, item...)             reads(section), writes(section), updates(section); the function is
//                                                   copied byte by byte
//   tasks.run(body)                                 body makes the tasks, on the thread that is the master; all have
//   ended
//                                                   when it returns
//   tasks.begin_shares(), tasks.shares()            what each worker has done in between, for run()
//   tasks.analysis(seconds, making)                 of a run of that time, of which the master made tasks for so long:
//   what
//                                                   it spent on tasks, as far as the runtime tells
//
// serial_tasks.hpp, openmp_tasks.hpp, starpu_tasks.hpp, weir_tasks.hpp, island_tasks.hpp.
#pragma once

#include <cstddef>

namespace weir::apps::bddt {

enum class Use { in, out, inout };

template <Use kUse, class Section>
struct Item {
  Section section;
};

template <class Section>
Item<Use::in, Section> reads(const Section& section) {
  return {section};
}
template <class Section>
Item<Use::out, Section> writes(const Section& section) {
  return {section};
}
template <class Section>
Item<Use::inout, Section> updates(const Section& section) {
  return {section};
}

// Seconds that a worker spent, of one run.
struct Share {
  double application = 0;  // in the tasks' functions
  double flush = 0;        // making memory fresh and writing it back, where caches are not coherent
};

}  // namespace weir::apps::bddt
