#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/cases/axes.h"
#include "conformance/cases/rules.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/options.h"
#include "conformance/inputs/distribution.h"
#include "conformance/suites/suite.h"
#include "reference/spec/ids.h"
#include "reference/spec/status.h"

namespace plumbline::cli {
namespace {

/// Rows of words under their headings.
struct Table {
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

Table axes() {
  Table table{{"operation", "axis", "takes", "meaning"}, {}};
  for (const cases::Axis& axis : cases::all_axes()) {
    table.rows.push_back({std::string(axis.op), std::string(axis.name), std::string(axis.words),
                          std::string(axis.meaning)});
  }
  for (const inputs::Distribution& data : inputs::distributions()) {
    table.rows.push_back({"*", "data", std::string(data.name), std::string(data.meaning)});
  }
  return table;
}

Table backends() {
  Table table{{"backend", "alias_of"}, {}};
  for (const RunnerBackend& row : all_runner_backends()) {
    table.rows.push_back({std::string(row.name), std::string(row.alias_of)});
  }
  return table;
}

std::string granularity(Granularity what, int rows, int columns) {
  constexpr std::array kNames = {"none", "tensor", "channel", "token", "block"};
  std::string text = kNames.at(static_cast<std::size_t>(what));
  if (columns > 0) text += " " + std::to_string(rows) + "x" + std::to_string(columns);
  return text;
}

Table quants() {
  Table table{{"quant", "weight", "weight_scale", "activation", "activation_scale", "scale", "rule",
               "activation_rule"},
              {}};
  for (const QuantScheme& row : all_quant_schemes()) {
    table.rows.push_back({std::string(row.name), std::string(name_of(row.weight)),
                          granularity(row.weight_scale, row.weight_block_rows, row.weight_block),
                          std::string(name_of(row.activation)),
                          granularity(row.activation_scale, 1, row.activation_group),
                          std::string(name_of(row.scale)), std::string(name_of(row.weight_rule)),
                          std::string(name_of(row.activation_rule))});
  }
  return table;
}

Table rules() {
  Table table{{"operation", "rule", "outcome", "meaning"}, {}};
  for (const cases::Rule& rule : cases::all_rules()) {
    table.rows.push_back({std::string(rule.op), std::string(rule.rule), std::string(rule.outcome),
                          std::string(rule.meaning)});
  }
  return table;
}

Table suites_table() {
  Table table{{"suite", "cases", "meaning"}, {}};
  for (const suites::BuiltIn& suite : suites::all_suites()) {
    table.rows.push_back({std::string(suite.name), std::to_string(suites::load(suite.name).size()),
                          std::string(suite.meaning)});
  }
  return table;
}

Table faults() {
  Table table{{"fault", "class", "expected_lane", "shows_on", "mistake"}, {}};
  for (const FaultInfo& fault : all_faults()) {
    table.rows.push_back({std::string(fault.name), std::string(fault.fault_class),
                          std::string(fault.expected_lane), std::string(fault.pattern),
                          std::string(fault.mistake)});
  }
  return table;
}

Table paths() {
  Table table{{"path", "operation", "profile", "axes"}, {}};
  const auto implementation = make_implementation({});
  for (const OfferedPath& path : implementation->manifest().paths) {
    std::string axes;
    for (const auto& [axis, words] : path.axes) {
      axes += (axes.empty() ? "" : " ") + axis + "=";
      for (std::size_t n = 0; n < words.size(); ++n) axes += (n == 0 ? "" : "|") + words[n];
    }
    table.rows.push_back({path.name, path.op, path.profile.name, axes});
  }
  return table;
}

void print(const Table& table) {
  std::vector<std::size_t> widths(table.head.size(), 0);
  const auto measure = [&](const std::vector<std::string>& row) {
    for (std::size_t n = 0; n < row.size(); ++n) widths[n] = std::max(widths[n], row[n].size());
  };
  measure(table.head);
  for (const auto& row : table.rows) measure(row);
  const auto show = [&](const std::vector<std::string>& row) {
    std::string line;
    for (std::size_t n = 0; n < row.size(); ++n) {
      line += row[n];
      if (n + 1 < row.size()) line.append(widths[n] + 2 - row[n].size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    std::cout << line << "\n";
  };
  show(table.head);
  for (const auto& row : table.rows) show(row);
}

void print_json(const Table& table) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    nlohmann::ordered_json object;
    for (std::size_t n = 0; n < row.size(); ++n) object[table.head[n]] = row[n];
    rows.push_back(std::move(object));
  }
  std::cout << rows.dump(2) << "\n";
}

int list_cases(const Picked& picked, bool json) {
  const std::vector<Case> cases = run::select(selection_of(picked));
  std::string text;
  if (json) {
    auto ids = nlohmann::json::array();
    for (const Case& test_case : cases) ids.push_back(test_case.id());
    text = ids.dump(2) + "\n";
  } else {
    for (const Case& test_case : cases) text += test_case.id() + "\n";
  }
  std::cout << text;
  if (!cases.empty()) return 0;
  std::cerr << "plumbline: no case of suite " << picked.suite << " matches the filter \""
            << picked.filter << "\"\n";
  return kExitEmptyPlan;
}

struct Options {
  Picked picked;
  std::string what;
  bool json = false;
};

const std::map<std::string, Table (*)()>& tables() {
  static const std::map<std::string, Table (*)()> rows = {
      {"axes", axes},   {"backends", backends},   {"quants", quants}, {"rules", rules},
      {"paths", paths}, {"suites", suites_table}, {"faults", faults},
  };
  return rows;
}

int list(const Options& options) {
  if (options.what == "cases") return list_cases(options.picked, options.json);
  const auto found = tables().find(options.what);
  if (found == tables().end()) {
    throw BadInput("list", "\"" + options.what + "\"",
                   "one of axes, backends, quants, rules, cases, suites, faults, paths");
  }
  const Table table = found->second();
  options.json ? print_json(table) : print(table);
  return 0;
}

}  // namespace

void add_list(CLI::App& app, int& exit) {
  CLI::App* command = app.add_subcommand("list", "show what there is");
  const auto options = std::make_shared<Options>();
  command
      ->add_option("what", options->what,
                   "axes, backends, quants, rules, cases, suites, faults or paths")
      ->required();
  add_case_options(*command, options->picked);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit] { exit = list(*options); });
}

}  // namespace plumbline::cli
