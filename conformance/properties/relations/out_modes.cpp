#include "conformance/properties/relations/list.h"
#include "conformance/properties/sequences.h"

namespace plumbline::properties {
namespace {

Judgement judge_out_modes(const Case& base, Implementation& implementation) {
  const Trial trial = start(base, implementation, kOutModes.name);
  if (trial.stop) return *trial.stop;
  std::vector<Judgement> each;
  for (const OutMode mode : {OutMode::kAbsent, OutMode::kInPlace, OutMode::kCopied}) {
    if (base.problem.axis("out", name_of(OutMode::kAbsent)) == name_of(mode)) continue;
    const Rerun changed = rerun(trial, with_axis(base.problem, "out", name_of(mode)), trial.inputs);
    if (changed.stop && changed.stop->verdict == Verdict::kNotOffered) continue;
    each.push_back(changed.stop ? *changed.stop : same(trial, trial.outputs, changed.outputs));
    each.back().reason = "out=" + std::string(name_of(mode)) + ": " + each.back().reason;
  }
  if (each.empty()) return nothing_to_change(trial, "only one out mode is offered");
  return judge::worst_of(each);
}

}  // namespace

const Relation kOutModes = {"out_modes", "attention.*",
                            "The result has the same bits whether out is absent, written in place "
                            "or copied to.",
                            judge_out_modes};

}  // namespace plumbline::properties
