// SPDX-License-Identifier: Apache-2.0

// What an error of MPI's means for a rank: its text, in one line.
#pragma once

#include <algorithm>
#include <string>

#include "transport/mpi/calls.h"

namespace weir::transport::mpi {

inline std::string text_of(const WeirMpiCalls& calls, int error) {
  char text[256] = "";
  calls.text_of_error(error, text, sizeof text);
  std::string line = std::string(calls.name) + ": " + text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

// An operation with a rank that MPI has refused or not ended.
struct Failure {
  int rank = -1;  // -1: MPI does not say
  int error = 0;
};

}  // namespace weir::transport::mpi
