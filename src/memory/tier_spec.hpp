// SPDX-License-Identifier: Apache-2.0

// What a user asks for by --tiers or WEIR_TIERS: memory tiers, fastest first, with their sizes.
//
//   spec  = { entry } , separated by commas; blanks around an entry count for nothing
//   entry = kind [ "=" size ]                           hbm ddr cxl nvm device: all memory nodes of that kind
//                                                       memory: ordinary memory, whatever its kind
//         | "file=" path [ ":" size ]                   a folder: an unlinked file in it; else a file, made and removed
//         | "emulated=" size "@" fraction               ordinary memory, with copies slowed down to that fraction
//         | "prefer"                                    first or last: warn about what cannot be had instead of failing
//   size  = number ( "B" | "KiB" | "MiB" | "GiB" | "TiB" )   decimals allowed; 1024 bytes and more
//
// hbm=14GiB,ddr=64GiB,file=/scratch:200GiB     memory=512MiB,emulated=4GiB@0.25     prefer,hbm,ddr
// Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"

namespace weir::memory {

enum class TierKind : std::uint8_t { hbm, ddr, cxl, nvm, device, memory, file, emulated };
const char* to_string(TierKind kind) noexcept;

// One entry as it was written.
struct TierRequest {
  TierKind kind = TierKind::memory;
  std::optional<Bytes> size;  // none: what is free, less a reserve
  std::string path;           // of a file; else empty
  double copy_fraction = 0;   // of an emulated tier, above 0 and at most 1; else 0
};

struct TierSpec {
  std::vector<TierRequest> tiers;  // fastest first; each kind at most once; empty: the memory of the machine
  bool prefer = false;
};

// Fails with bad_option: "tiers, column 5: ..." names the first error; columns count from 1.
base::Result<TierSpec> parse_tiers(std::string_view text);

struct SizeUnit {
  std::string_view name;  // "GiB"
  double bytes;
};
// The largest of which there are `at_least` so many; bytes, when there are fewer of all others.
const SizeUnit& unit_for(Bytes size, double at_least = 1) noexcept;
// For people, as exact as four digits are: "512 MiB", "1.5 GiB", "100 B".
std::string size_text(Bytes size);

}  // namespace weir::memory
