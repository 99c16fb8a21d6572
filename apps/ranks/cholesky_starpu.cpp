// SPDX-License-Identifier: Apache-2.0

// weir-ranks-cholesky-starpu cholesky [option...]: by StarPU-MPI, started by mpirun; options as those of
// weir-bddt-weir.
#include <mpi.h>
#include <starpu_mpi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "apps/bddt/kernels.hpp"
#include "apps/common/stopwatch.hpp"
#include "apps/ranks/cholesky.hpp"
#include "apps/ranks/main.hpp"

namespace weir::apps::ranks {
namespace {

double* matrix(void* buffer) { return reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(buffer)); }
std::size_t side(void* buffer) { return STARPU_MATRIX_GET_NX(buffer); }

void factor(void** b, void*) { bddt::factor_tile(matrix(b[0]), side(b[0]), side(b[0])); }
void solve(void** b, void*) { bddt::solve_tile(matrix(b[0]), matrix(b[1]), side(b[0]), side(b[0])); }
void square(void** b, void*) { bddt::subtract_square(matrix(b[0]), matrix(b[1]), side(b[0]), side(b[0])); }
void product(void** b, void*) {
  bddt::subtract_product(matrix(b[0]), matrix(b[1]), matrix(b[2]), side(b[0]), side(b[0]));
}

starpu_codelet codelet_of(void (*function)(void**, void*), const char* name, int sources) {
  starpu_codelet made;
  starpu_codelet_init(&made);
  made.cpu_funcs[0] = function;
  made.nbuffers = sources + 1;
  for (int i = 0; i < sources; ++i) made.modes[i] = STARPU_R;
  made.modes[sources] = STARPU_RW;
  made.name = name;
  return made;
}

// Reads a tile, so that it is sent to where the task runs.
starpu_codelet looking_codelet() {
  starpu_codelet made = codelet_of([](void**, void*) {}, "gather", 0);
  made.modes[0] = STARPU_R;
  return made;
}

void check(int error, const char* what) {
  if (error != 0) throw std::runtime_error(std::string(what) + " failed");
}

class Tasks {
 public:
  Tasks(std::size_t n, std::size_t tile) : tile_(tile), tiles_(n / tile), handles_(tiles_ * tiles_) {
    starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank_);
    int ranks = 1;
    starpu_mpi_comm_size(MPI_COMM_WORLD, &ranks);
    const Grid grid(ranks);
    for (std::size_t i = 0; i < tiles_ * tiles_; ++i) {
      const int owner = grid.owner_of(i / tiles_, i % tiles_);
      const auto side = static_cast<std::uint32_t>(tile);
      std::uintptr_t data = 0;
      if (owner == rank_) {
        memory_.push_back(std::make_unique<double[]>(tile * tile));
        data = reinterpret_cast<std::uintptr_t>(memory_.back().get());
      }
      starpu_matrix_data_register(&handles_[i], data != 0 ? STARPU_MAIN_RAM : -1, data, side, side, side,
                                  sizeof(double));
      starpu_mpi_data_register(handles_[i], static_cast<starpu_mpi_tag_t>(i), owner);
    }
  }
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  ~Tasks() {
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
  }
  int rank() const { return rank_; }
  std::size_t tiles() const { return tiles_; }

  void factor(std::size_t k) { insert(factor_, {at(k, k)}); }
  void solve(std::size_t k, std::size_t i) { insert(solve_, {at(k, k), at(i, k)}); }
  void subtract_square(std::size_t k, std::size_t i) { insert(square_, {at(i, k), at(i, i)}); }
  void subtract_product(std::size_t k, std::size_t i, std::size_t j) {
    insert(product_, {at(i, k), at(j, k), at(i, j)});
  }

  // The owners' tiles of a matrix that every rank has.
  void fill(const std::vector<double>& dense) {
    starpu_mpi_cache_flush_all_data(MPI_COMM_WORLD);
    meet();
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (starpu_mpi_data_get_rank(handles_[i]) == rank_)
        copy_rows(i, STARPU_W, [&](double* own, std::size_t at) { std::copy_n(dense.data() + at, tile_, own); });
    }
  }
  void gather(std::vector<double>& dense) {
    for (starpu_data_handle_t handle : handles_) {
      check(starpu_mpi_task_insert(MPI_COMM_WORLD, &look_, STARPU_R, handle, STARPU_EXECUTE_ON_NODE, 0, 0),
            "starpu_mpi_task_insert");
    }
    meet();
    for (std::size_t i = 0; rank_ == 0 && i < handles_.size(); ++i)
      copy_rows(i, STARPU_R, [&](double* own, std::size_t at) { std::copy_n(own, tile_, dense.data() + at); });
  }
  static void meet() {
    starpu_task_wait_for_all();
    starpu_mpi_barrier(MPI_COMM_WORLD);
  }

 private:
  starpu_data_handle_t at(std::size_t row, std::size_t column) const { return handles_[row * tiles_ + column]; }
  static void insert(starpu_codelet& codelet, std::initializer_list<starpu_data_handle_t> handles) {
    const starpu_data_handle_t* const h = handles.begin();
    int error = 0;
    if (handles.size() == 1) {
      error = starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_RW, h[0], 0);
    } else if (handles.size() == 2) {
      error = starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_R, h[0], STARPU_RW, h[1], 0);
    } else {
      error = starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet, STARPU_R, h[0], STARPU_R, h[1], STARPU_RW, h[2], 0);
    }
    check(error, "starpu_mpi_task_insert");
  }
  // copy(row of the tile, its place in the dense matrix)
  template <class Copy>
  void copy_rows(std::size_t index, starpu_data_access_mode mode, Copy&& copy) {
    starpu_data_acquire(handles_[index], mode);
    auto* const own = reinterpret_cast<double*>(starpu_matrix_get_local_ptr(handles_[index]));
    const std::size_t row = index / tiles_ * tile_, column = index % tiles_ * tile_;
    for (std::size_t i = 0; i < tile_; ++i) copy(own + i * tile_, (row + i) * tiles_ * tile_ + column);
    starpu_data_release(handles_[index]);
  }

  starpu_codelet factor_ = codelet_of(&ranks::factor, "potrf", 0), solve_ = codelet_of(&ranks::solve, "trsm", 1),
                 square_ = codelet_of(&ranks::square, "syrk", 1), product_ = codelet_of(&ranks::product, "gemm", 2),
                 look_ = looking_codelet();
  std::size_t tile_, tiles_;
  int rank_ = 0;
  std::vector<std::unique_ptr<double[]>> memory_;
  std::vector<starpu_data_handle_t> handles_;
};

bddt::Report measure(const bddt::Request& request) {
  Tasks tasks(request.size.n, request.size.tile);
  bddt::Report report{"StarPU-MPI", tasks_of(tasks.tiles()), {}, ""};
  for (int i = 0; i < request.repeat && report.wrong.empty(); ++i) {
    std::vector<double> dense = definite_matrix(request.size.n);
    tasks.fill(dense);
    Tasks::meet();
    const Stopwatch watch;
    spawn_cholesky(tasks, tasks.tiles());
    Tasks::meet();
    report.runs.push_back({watch.seconds(), 0, {}});
    tasks.gather(dense);
    if (tasks.rank() == 0) report.wrong = bddt::check_factor(dense.data(), request.size.n);
  }
  return report;
}

int run(int argc, char** argv) {
  const bddt::Request request = bddt::requests_of(argc, argv).front();
  if (request.program != "cholesky") {
    std::fprintf(stderr, "%s: this program factors matrices: cholesky\n", request.program.c_str());
    return 2;
  }
  bddt::load_kernels(0);
  setenv("STARPU_SILENT", "1", 0);
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = request.workers;
  conf.ncuda = conf.nopencl = 0;
  check(starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, &conf), "starpu_mpi_init_conf");
  const bddt::Report report = measure(request);
  int rank = 0;
  starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
  const int status = rank == 0 ? conclude(report) : 0;
  starpu_mpi_shutdown();
  return status;
}

}  // namespace
}  // namespace weir::apps::ranks

int main(int argc, char** argv) { return weir::apps::ranks::main_of(weir::apps::ranks::run, argc, argv); }
