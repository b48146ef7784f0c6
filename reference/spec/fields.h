#pragma once
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/spec/format.h"
#include "reference/spec/problem.h"
#include "reference/spec/status.h"

/// How typed descriptors read the words of a Problem. For the files of reference/spec alone.
namespace plumbline::spec {

/// The enumerator whose name stands at its place in `names`.
template <class Enum, std::size_t N>
Result<Enum> word_to_enum(std::string_view rule, std::string_view word,
                          const std::array<std::string_view, N>& names) {
  const auto it = std::find(names.begin(), names.end(), word);
  if (it != names.end()) return static_cast<Enum>(it - names.begin());
  return Refusal{Status::kUnsupported, std::string(rule), "\"" + std::string(word) + "\""};
}

/// Shortest decimal that reads back as the same double.
inline std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end};
}

inline std::string_view yes_no(bool value) { return value ? "yes" : "no"; }

/// The refusal of a descriptor that was given another operation.
inline std::optional<Refusal> wrong_operation(const Problem& problem, std::string_view wanted) {
  if (problem.op == wanted) return std::nullopt;
  return Refusal{Status::kUnsupported, "operation is " + std::string(wanted), problem.op};
}

/// Reads the words of one problem, remembers the first refusal and which names were asked for.
class Fields {
 public:
  explicit Fields(const Problem& problem) : problem_(problem) {}

  std::string_view axis(std::string_view name, std::string_view fallback) {
    known_.push_back(name);
    return problem_.axis(name, fallback);
  }

  void yes_no(bool& field, std::string_view name, std::string_view yes = "yes",
              std::string_view no = "no") {
    const std::string_view word = axis(name, field ? yes : no);
    field = word == yes;
    if (word != yes && word != no) {
      refuse(std::string(name) + " is " + std::string(yes) + " or " + std::string(no), word);
    }
  }

  void number(double& field, std::string_view name, std::string_view none = "") {
    const std::string_view word = axis(name, "");
    if (word.empty() || (!none.empty() && word == none)) return;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), field);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(field)) {
      refuse(std::string(name) + " is a number", word);
    }
  }

  void dim(std::int64_t& field, std::string_view name, std::int64_t least = 1) {
    known_.push_back(name);
    if (const auto value = problem_.dim(name)) field = *value;
    if (field < least || field > kLargestDim) {
      refuse(std::string(name) + " in [" + std::to_string(least) + ", " +
                 std::to_string(kLargestDim) + "]",
             std::to_string(field), Status::kShape);
    }
  }

  template <class T>
  void take(T& field, const Result<T>& result) {
    if (result) {
      field = *result;
    } else if (!refusal_) {
      refusal_ = result.refusal();
    }
  }

  void io_type(DType& field, std::string_view name, std::initializer_list<DType> allowed) {
    const std::string_view word = axis(name, name_of(field));
    const auto dtype = dtype_from_name(word);
    if (dtype && std::find(allowed.begin(), allowed.end(), *dtype) != allowed.end()) {
      field = *dtype;
      return;
    }
    std::string rule(name);
    for (const DType a : allowed)
      rule += (a == *allowed.begin() ? " is " : " or ") + std::string(name_of(a));
    refuse(rule, word, Status::kDtype);
  }

  void check(bool holds, std::string_view rule, std::string_view detail) {
    if (!holds) refuse(rule, detail, Status::kShape);
  }

  void refuse(std::string_view rule, std::string_view detail,
              Status status = Status::kUnsupported) {
    if (!refusal_) refusal_ = Refusal{status, std::string(rule), "\"" + std::string(detail) + "\""};
  }

  /// The first refusal, or one for a name that nobody asked for.
  std::optional<Refusal> outcome() {
    refuse_unknown(problem_.axes);
    refuse_unknown(problem_.dims);
    return refusal_;
  }

 private:
  static constexpr std::int64_t kLargestDim = std::int64_t{1} << 24;

  template <class Pairs>
  void refuse_unknown(const Pairs& pairs) {
    for (const auto& [name, value] : pairs) {
      if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
        refuse(problem_.op + " has no axis or dimension of that name", name);
      }
    }
  }

  const Problem& problem_;
  std::vector<std::string_view> known_;
  std::optional<Refusal> refusal_;
};

}  // namespace plumbline::spec
