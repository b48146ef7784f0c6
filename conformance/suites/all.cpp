#include <array>

#include "conformance/suites/suite.h"
#include "conformance/suites/texts.h"

namespace plumbline::suites {

std::span<const BuiltIn> all_suites() {
  static const auto kSuites = std::to_array<BuiltIn>({
      {"smoke", "every offered path and odd shape, a thousand small cases", smoke_text()},
      {"ci", "what every change must pass: smoke and more of each pattern", ci_text()},
      {"full", "as ci, with four times the seeds", full_text()},
      {"sanitizer", "a few small cases of every kernel, for sanitizer builds", sanitizer_text()},
  });
  return kSuites;
}

}  // namespace plumbline::suites
