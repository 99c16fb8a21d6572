// SPDX-License-Identifier: Apache-2.0

#include "apps/bddt/runner.hpp"
#include "apps/bddt/starpu_tasks.hpp"

int main(int argc, char** argv) { return weir::apps::bddt::run_main<weir::apps::bddt::StarpuTasks>(argc, argv); }
