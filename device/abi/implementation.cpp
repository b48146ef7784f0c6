#include "device/abi/implementation.h"

#include <algorithm>

namespace plumbline {
namespace {

/// A word as the manifest gives it; a star at its end stands for any rest.
bool word_fits(std::string_view pattern, std::string_view word) {
  if (!pattern.ends_with('*')) return pattern == word;
  return word.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool claims(const OfferedPath& path, const Problem& problem) {
  if (path.op != problem.op) return false;
  return std::all_of(path.axes.begin(), path.axes.end(), [&](const auto& axis) {
    const std::string_view word = problem.axis(axis.first, axis.second.front());
    return std::any_of(axis.second.begin(), axis.second.end(),
                       [&](const std::string& taken) { return word_fits(taken, word); });
  });
}

}  // namespace

const OfferedPath* Manifest::path_for(const Problem& problem) const {
  const auto it = std::find_if(paths.begin(), paths.end(),
                               [&](const OfferedPath& path) { return claims(path, problem); });
  return it == paths.end() ? nullptr : &*it;
}

}  // namespace plumbline
