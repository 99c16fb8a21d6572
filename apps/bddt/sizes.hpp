// SPDX-License-Identifier: Apache-2.0

// The five programs of BDDT-SCC (A. Labrineas, University of Crete, 2013, chapter 4.2) and the inputs that have a name.
// Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace weir::apps::bddt {

struct Size {
  std::size_t n = 0;           // options; rows and columns of everything else
  std::size_t tile = 0;        // options, or rows and columns, that a task works on
  std::size_t iterations = 1;  // of jacobi
};

// blackscholes, matmul, fft, jacobi, cholesky: as the thesis has them.
const std::vector<std::string>& program_names();
// thesis: as there. quarter: the same data in tasks of about a quarter of the work. small: done in milliseconds.
const std::vector<std::string>& size_names();

// Both names are of the lists above.
Size size_of(const std::string& program, const std::string& name);

// What is wrong with a size, "" when nothing is: tasks work on whole tiles, and two tiles and more.
std::string fault_of(const Size& size);

}  // namespace weir::apps::bddt
