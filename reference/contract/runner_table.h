#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::contract {

/// What create_runner of a quant method does for a backend.
enum class Constructs : std::uint8_t {
  kYes,      ///< constructs a runner, which the method then owns
  kNo,       ///< succeeds and constructs none
  kRefused,  ///< refuses (unsupported): there is no such branch
};

/// A row of runner_ownership.csv.
struct RunnerRow {
  std::string quant;
  std::string backend;  ///< a value of the tagged type runner_backend, auto included
  Constructs constructs = Constructs::kRefused;
  std::string evidence;  ///< where this is known from
  std::string status;    ///< documented, read, executed or assumed
};

/// Reads a table: columns quant, backend, constructs (yes|no|refused), evidence, status. Throws
/// BadInput(file, "line N", rule) for missing columns, unknown words and a pair that stands twice.
std::vector<RunnerRow> parse_runner_table(std::string_view text, std::string_view file);

/// The table of this folder.
const std::vector<RunnerRow>& runner_table();
/// The row of a pair; null: the table does not know the quant method or the backend.
const RunnerRow* find_runner_row(std::string_view quant, std::string_view backend);

}  // namespace plumbline::contract
