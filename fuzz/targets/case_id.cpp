#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "reference/spec/problem.h"
#include "reference/spec/problems.h"
#include "reference/spec/status.h"

using namespace plumbline;

namespace {

/// Every typed reader takes any problem, or refuses it; what it took prints and reads back.
template <class Typed>
void read_as(const Problem& problem) {
  const Result<Typed> typed = Typed::from(problem);
  if (!typed) return;
  const Problem printed = typed->to_problem();
  const Result<Typed> again = Typed::from(printed);
  if (!again || again->to_problem() != printed) std::abort();
}

}  // namespace

/// Any text is refused with BadInput, or is an id: parse ∘ print is the identity.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view id(reinterpret_cast<const char*>(data), size);
  Case parsed;
  try {
    parsed = parse_case(id);
  } catch (const BadInput&) {
    return 0;
  }
  if (parse_case(parsed.id()) != parsed) std::abort();
  read_as<RouteProblem>(parsed.problem);
  read_as<ExpertsProblem>(parsed.problem);
  read_as<AttentionProblem>(parsed.problem);
  return 0;
}
