// SPDX-License-Identifier: Apache-2.0

// HostTraces: the traces of ranks on several hosts. Each rank writes its own on its host, into the folder of temporary
// files, by a name that no other job has; when the job has ended they are brought here, and have the names that
// `weir run -n` without hosts gives them. By tar, through the mpirun that has started the ranks. One thread.
#pragma once

#include <string>

#include "base/result.hpp"
#include "hosts.hpp"

namespace weir::tool {

class HostTraces {
 public:
  // Of `weir run --trace FILE`.
  explicit HostTraces(std::string trace);

  // What ranks are to take for WEIR_TRACE.
  std::string there() const { return folder_ + "/" + id_ + ".weir"; }

  struct Brought {
    int files = 0;
    int signal = 0;  // that has ended it, and is to end this process
  };
  // After the job: traces, and parts of ranks that were killed. A host that cannot be reached, or a file that cannot be
  // written: io_error, which names it, when all others are here; then what is on the hosts stays there.
  base::Result<Brought> bring(const Hosts& hosts) const;

 private:
  base::Status bring_from(const Hosts& hosts, const launch::Host& host, const std::string& folder, int& signal) const;
  base::Result<int> put_in_place(const std::string& folder) const;
  void remove_there(const Hosts& hosts) const;

  const std::string trace_, folder_, id_;
};

// The name here of what a rank has written as `file`, ID.3.weir or ID.3.weir.part: as trace::file_of_rank(), and what
// is behind it. "": it is no such file.
std::string name_here(const std::string& file, const std::string& id, const std::string& trace);

}  // namespace weir::tool
