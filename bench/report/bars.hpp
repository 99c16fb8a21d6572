// SPDX-License-Identifier: Apache-2.0

// Bars: a panel of a picture: a group of bars for each row, in each a bar for each column.
//
// gnuplot draws no picture at all when a column has no number in it, so what has none is left out. A column has the
// colour of its number, so that it is the same in all panels of a picture that have the same columns. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weir::bench {

class Bars {
 public:
  // In this order, where they have a value.
  explicit Bars(std::vector<std::string> columns) : columns_(std::move(columns)) {}

  // Rows come in the order in which they are first named.
  void add(const std::string& row, std::size_t column, double value);
  bool empty() const { return rows_.empty(); }

  // "set yrange [...]" for a logarithmic axis: it begins below the least value, whose bar is seen so, too.
  std::string log_range() const;
  // The numbers under that name, a letter and letters, digits or '_', and the command that draws them.
  std::string script(const std::string& name) const;

 private:
  struct Row {
    std::string name;
    std::vector<double> values;  // NaN: none
  };

  std::vector<std::string> columns_;
  std::vector<Row> rows_;
};

}  // namespace weir::bench
