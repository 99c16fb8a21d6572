// SPDX-License-Identifier: Apache-2.0

#include "apps/bddt/island_tasks.hpp"
#include "apps/bddt/runner.hpp"

int main(int argc, char** argv) { return weir::apps::bddt::run_main<weir::apps::bddt::IslandTasks>(argc, argv); }
