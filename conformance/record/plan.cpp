#include <array>
#include <utility>

#include "conformance/record/file.h"
#include "conformance/record/journal.h"
#include "conformance/record/json.h"

namespace plumbline::record {
namespace {

constexpr int kSchema = 1;

using Column = std::pair<std::string_view, std::string Cell::*>;
constexpr auto kColumns = std::to_array<Column>({
    {"domain", &Cell::domain},
    {"runner_backend", &Cell::backend},
    {"quant", &Cell::quant},
    {"ownership", &Cell::ownership},
    {"a2a", &Cell::a2a},
    {"dispatch_dtype", &Cell::dispatch_dtype},
    {"record_flag", &Cell::record_flag},
    {"scale_presence", &Cell::scale_presence},
    {"layout", &Cell::layout},
    {"out_mode", &Cell::out_mode},
    {"execution_mode", &Cell::execution_mode},
    {"state", &Cell::state},
    {"reason", &Cell::reason},
});

Json run_to_json(const RunHeader& run) {
  return Json{{"suite", run.suite},
              {"implementation", run.implementation},
              {"version", run.version},
              {"target", run.target},
              {"device", run.device},
              {"wave", run.wave},
              {"seed", run.seed},
              {"filter", run.filter},
              {"planned", run.planned},
              {"compiler", run.compiler},
              {"system", run.system},
              {"command", run.command},
              {"seconds", from_double(run.seconds)}};
}

RunHeader run_from_json(const Fields& in) {
  RunHeader run;
  in.text("suite", run.suite, true);
  in.text("implementation", run.implementation, true);
  in.text("version", run.version);
  in.text("target", run.target);
  in.text("device", run.device);
  in.integer("wave", run.wave);
  in.integer("seed", run.seed);
  in.text("filter", run.filter);
  in.integer("planned", run.planned);
  in.text("compiler", run.compiler);
  in.text("system", run.system);
  in.text("command", run.command);
  in.number("seconds", run.seconds);
  return run;
}

Json cell_to_json(const Cell& cell) {
  Json row = Json::object();
  for (const auto& [name, member] : kColumns) {
    if (!(cell.*member).empty()) row[std::string(name)] = cell.*member;
  }
  return row;
}

Cell cell_from_json(const Fields& in) {
  Cell cell;
  for (const auto& [name, member] : kColumns) in.text(name, cell.*member);
  if (cell.domain.empty() || cell.state.empty()) in.fail("must have a domain and a state");
  return cell;
}

}  // namespace

void write_plan(const std::filesystem::path& file, const Plan& plan) {
  Json cells = Json::array();
  for (const Cell& cell : plan.cells) cells.push_back(cell_to_json(cell));
  const Json json{{"schema", kSchema},
                  {"run", run_to_json(plan.run)},
                  {"cases", plan.cases},
                  {"cells", std::move(cells)}};
  replace_file(file, text_of(json, 0) + '\n');
}

Plan read_plan(const std::filesystem::path& file) {
  const std::string name = file.string();
  const Json json = Json::parse(read_file(file), nullptr, false);
  const Fields in(json, name, "");
  int schema = 0;
  in.integer("schema", schema);
  if (schema != kSchema) in.fail("schema", "must be 1");
  Plan plan;
  plan.run = run_from_json(Fields(in.need("run"), name, "run"));
  for (const Json& id : in.array("cases")) {
    if (!id.is_string()) in.fail("cases", "must hold case ids");
    plan.cases.push_back(id.get<std::string>());
  }
  std::size_t index = 0;
  for (const Json& cell : in.array("cells")) {
    const std::string place = "cells[" + std::to_string(index++) + "]";
    plan.cells.push_back(cell_from_json(Fields(cell, name, place)));
  }
  return plan;
}

}  // namespace plumbline::record
