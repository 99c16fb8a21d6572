# SPDX-License-Identifier: Apache-2.0

# StarPU, which programs that compare with it need: PkgConfig::starpu where starpu_FOUND.
if(NOT starpu_FOUND)
  unset(__pkg_config_checked_starpu CACHE)  # a miss would be remembered after StarPU was installed
endif()
pkg_search_module(starpu IMPORTED_TARGET QUIET starpu-1.4 starpu-1.3)
