#include <unistd.h>

#include <iostream>
#include <istream>
#include <memory>
#include <string>

#include "conformance/cases/legal.h"
#include "conformance/cli/commands.h"
#include "conformance/cli/options.h"
#include "conformance/record/journal.h"
#include "conformance/run/isolated.h"
#include "conformance/run/manifest_json.h"
#include "conformance/run/run.h"

namespace plumbline::cli {
namespace {

/// The next line of the ids, without its end; false where there is none.
bool next_id(FILE* ids, std::string& id) {
  id.clear();
  for (int c = std::getc(ids); c != EOF; c = std::getc(ids)) {
    if (c == '\n') return true;
    id += static_cast<char>(c);
  }
  return false;
}

int serve(const Chosen& chosen) {
  FILE* ids = fdopen(run::kIdsIn, "r");
  FILE* records = fdopen(run::kRecordsOut, "w");
  if (ids == nullptr || records == nullptr) {
    throw BadInput("serve-cases", "", "is started by `run`, not by hand");
  }
  const auto implementation = make_implementation(chosen);
  std::fprintf(records, "%s%s\n", run::kReady, run::to_json(implementation->manifest()).c_str());
  std::fflush(records);
  for (std::string id; next_id(ids, id);) {
    const Record record = run::run_case(cases::case_from_id(id), *implementation);
    std::fprintf(records, "%s\n", record::to_line(record).c_str());
    std::fflush(records);
  }
  return 0;
}

}  // namespace

void add_serve_cases(CLI::App& app, int& exit) {
  // A command without a group is not listed.
  CLI::App* command = app.add_subcommand("serve-cases", "")->group("");
  const auto chosen = std::make_shared<Chosen>();
  add_implementation_options(*command, *chosen);
  command->callback([chosen, &exit] { exit = serve(*chosen); });
}

}  // namespace plumbline::cli
