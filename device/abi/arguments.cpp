#include "device/abi/arguments.h"

#include <algorithm>
#include <string>

namespace plumbline::device {
namespace {

bool shape_fits(std::span<const std::int64_t> wanted, std::span<const std::int64_t> got) {
  return std::equal(wanted.begin(), wanted.end(), got.begin(), got.end(),
                    [](std::int64_t w, std::int64_t g) { return w == g || (w == -1 && g >= 0); });
}

std::string shape_text(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (const std::int64_t n : shape) {
    text += (text.size() > 1 ? ", " : "") + (n == -1 ? std::string("any") : std::to_string(n));
  }
  return text + "]";
}

using Check = std::optional<Refusal> (*)(const Wanted&, const std::string& name, const TensorView&);

std::optional<Refusal> check_data(const Wanted&, const std::string& name, const TensorView& view) {
  if (view.data != nullptr || view.spec.elements() <= 0) return std::nullopt;
  return Refusal{Status::kMissing, name + " has data", name + " is a null pointer"};
}

std::optional<Refusal> check_dtype(const Wanted& wanted, const std::string& name,
                                   const TensorView& view) {
  if (view.spec.dtype == wanted.dtype) return std::nullopt;
  return Refusal{Status::kDtype, name + " is " + std::string(name_of(wanted.dtype)),
                 name + " is " + view.spec.text()};
}

std::optional<Refusal> check_shape(const Wanted& wanted, const std::string& name,
                                   const TensorView& view) {
  if (shape_fits(wanted.shape, view.spec.shape)) return std::nullopt;
  return Refusal{Status::kShape, name + " has shape " + shape_text(wanted.shape),
                 name + " is " + view.spec.text()};
}

std::optional<Refusal> check_layout(const Wanted&, const std::string& name,
                                    const TensorView& view) {
  if (view.spec.layout == Layout::kLinear) return std::nullopt;
  return Refusal{Status::kLayout, name + " has layout linear",
                 name + " has layout " + std::string(name_of(view.spec.layout))};
}

std::optional<Refusal> check_presence(const Wanted& wanted, const TensorViews& given) {
  if (wanted.optional || given.find(wanted.name) != given.end()) return std::nullopt;
  const std::string name(wanted.name);
  return Refusal{Status::kMissing, name + " is given", "the arguments have no " + name};
}

}  // namespace

std::optional<Refusal> check_tensors(std::span<const Wanted> wanted, const TensorViews& given) {
  for (const auto& [name, view] : given) {
    const auto known = [&name = name](const Wanted& w) { return w.name == name; };
    if (std::none_of(wanted.begin(), wanted.end(), known)) {
      return Refusal{Status::kUnexpected, "no tensor beyond those of the operation",
                     "\"" + name + "\" is given"};
    }
  }
  for (const Wanted& w : wanted) {
    if (auto refusal = check_presence(w, given)) return refusal;
  }
  for (const Check check : {check_dtype, check_shape, check_layout, check_data}) {
    for (const Wanted& w : wanted) {
      const auto it = given.find(w.name);
      if (it == given.end()) continue;
      if (auto refusal = check(w, std::string(w.name), it->second)) return refusal;
    }
  }
  return std::nullopt;
}

}  // namespace plumbline::device
