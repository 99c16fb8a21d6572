// SPDX-License-Identifier: Apache-2.0

#include "apps/bddt/openmp_tasks.hpp"
#include "apps/bddt/runner.hpp"

int main(int argc, char** argv) { return weir::apps::bddt::run_main<weir::apps::bddt::OpenmpTasks>(argc, argv); }
