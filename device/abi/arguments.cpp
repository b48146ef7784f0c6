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

std::optional<Refusal> check_tensor(const Wanted& wanted, const TensorViews& given) {
  const std::string name(wanted.name);
  const auto it = given.find(wanted.name);
  if (it == given.end()) {
    if (wanted.optional) return std::nullopt;
    return Refusal{Status::kMissing, name + " is given", "the arguments have no " + name};
  }
  const TensorView& view = it->second;
  if (view.spec.dtype != wanted.dtype) {
    return Refusal{Status::kDtype, name + " is " + std::string(name_of(wanted.dtype)),
                   name + " is " + view.spec.text()};
  }
  if (!shape_fits(wanted.shape, view.spec.shape)) {
    return Refusal{Status::kShape, name + " has shape " + shape_text(wanted.shape),
                   name + " is " + view.spec.text()};
  }
  if (view.spec.layout != Layout::kLinear) {
    return Refusal{Status::kLayout, name + " has layout linear",
                   name + " has layout " + std::string(name_of(view.spec.layout))};
  }
  if (view.data == nullptr && view.spec.elements() > 0) {
    return Refusal{Status::kMissing, name + " has data", name + " is a null pointer"};
  }
  return std::nullopt;
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
    if (auto refusal = check_tensor(w, given)) return refusal;
  }
  return std::nullopt;
}

}  // namespace plumbline::device
