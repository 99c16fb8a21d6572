#include "apps/common/tier_counters.hpp"

namespace weir::apps {}  // namespace weir::apps
