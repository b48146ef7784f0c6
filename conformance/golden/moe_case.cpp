#include <cmath>

#include "conformance/golden/kinds.h"

namespace plumbline::golden {
namespace {

using nlohmann::json;

/// The members of a JSON object in the metadata, each read once by name and type.
class Statement {
 public:
  Statement(const CaseFile& file, std::string key)
      : file_(file), key_(std::move(key)), value_(*file.json(key_)) {
    if (!value_.is_object()) file_.refuse_key(key_, "must be a JSON object");
  }

  /// Null and absent are the same.
  const json* find(const char* name) const {
    const auto it = value_.find(name);
    return it == value_.end() || it->is_null() ? nullptr : &*it;
  }
  std::string word(const char* name, const std::string& fallback) const {
    const json* value = find(name);
    if (value == nullptr) return fallback;
    if (!value->is_string()) refuse(name, "must be a string, not " + shown(*value));
    return value->get<std::string>();
  }
  double number(const char* name, double fallback) const {
    const json* value = find(name);
    if (value == nullptr) return fallback;
    if (!value->is_number() || !std::isfinite(value->get<double>())) {
      refuse(name, "must be a finite number, not " + shown(*value));
    }
    return value->get<double>();
  }
  std::int64_t count(const char* name, std::int64_t fallback) const {
    const json* value = find(name);
    if (value == nullptr) return fallback;
    const bool fits = value->is_number_unsigned() && value->get<std::uint64_t>() < 1ULL << 31;
    if (!fits) refuse(name, "must be an integer of at least 0, not " + shown(*value));
    return value->get<std::int64_t>();
  }
  bool flag(const char* name) const {
    const json* value = find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) refuse(name, "must be true or false, not " + shown(*value));
    return value->get<bool>();
  }
  [[noreturn]] void refuse(const char* name, const std::string& rule) const {
    file_.refuse_key(key_ + "." + name, rule);
  }

 private:
  const CaseFile& file_;
  std::string key_;
  json value_;
};

Activation activation_of(const CaseFile& file) {
  const Statement stated(file, "activation");
  const std::string type = stated.word("type", "");
  Activation activation;
  if (type == "silu") return activation;
  if (type == "relu2") {
    activation.kind = Activation::Kind::kRelu2;
    return activation;
  }
  if (type != "swiglu_oai") {
    stated.refuse("type", "unknown activation " + shown(type) + "; known: silu, swiglu_oai, relu2");
  }
  activation.kind = Activation::Kind::kSwiglu;
  activation.alpha = stated.number("alpha", 1.0);
  activation.beta = stated.number("beta", 1.0);
  activation.limit = stated.number("limit", 0.0);
  if (activation.limit < 0) stated.refuse("limit", "must be above 0");
  return activation;
}

void read_scoring(const Statement& stated, RouteProblem& route) {
  const std::string scoring = stated.word("scoring", "none");
  const Result<Scoring> known = scoring_from_name(scoring);
  if (!known) stated.refuse("scoring", known.refusal().text());
  route.scoring = *known;
  const std::string after = stated.word("score_after_topk", "none");
  if (after == "none") return;
  if (after == "softmax") {
    route.softmax_after_topk = true;
    return;
  }
  // A monotonic score of single logits chooses alike before and after the choice.
  if (after == "sigmoid" && route.scoring == Scoring::kNone && !stated.flag("selection_bias")) {
    route.scoring = Scoring::kSigmoid;
    return;
  }
  stated.refuse("score_after_topk", "unknown: " + shown(after) + " after scoring " + scoring);
}

void read_groups(const Statement& stated, RouteProblem& route) {
  route.groups = stated.count("n_group", 1);
  route.kept_groups = stated.count("topk_group", 1);
  if (route.groups < 1 || route.e % route.groups != 0) {
    stated.refuse("n_group", std::to_string(route.groups) + " groups must divide " +
                                 std::to_string(route.e) + " experts");
  }
  if (route.kept_groups < 1 || route.kept_groups > route.groups) {
    stated.refuse("topk_group", "must be from 1 to n_group");
  }
  const std::string score = stated.word("group_score", "top2_sum");
  if (score != "top2_sum" && score != "max") {
    stated.refuse("group_score", "unknown: " + shown(score) + "; known: top2_sum, max");
  }
  route.group_score = score == "max" ? GroupScore::kMax : GroupScore::kTop2Sum;
  const json* masked = stated.find("masked_value");
  if (masked == nullptr || *masked == "-inf") return;
  const std::optional<double> value = masked->is_string() ? number_of(masked->get<std::string>())
                                                          : stated.number("masked_value", 0);
  if (!value || *value != 0) {
    stated.refuse("masked_value", "must be \"-inf\" or 0, not " + shown(*masked));
  }
  route.masked_is_zero = true;
}

RouteProblem routing_of(const CaseFile& file, const MoeCase& moe) {
  const Statement stated(file, "routing");
  RouteProblem route{.t = moe.t, .e = 0, .k = moe.k};
  const Tensor& logits = file.require("router_logits", 2);
  route.e = logits.spec.shape[1];
  file.require_shape("router_logits", {moe.t, route.e}, "the tokens of x");
  if (!format_of(logits.spec.dtype).is_float()) {
    file.refuse_tensor("router_logits", "must be a float");
  }
  if (route.e < moe.e || (route.e > moe.e && !file.text("identity_experts"))) {
    file.refuse_tensor("router_logits", "scores " + std::to_string(route.e) + " experts, w2 has " +
                                            std::to_string(moe.e) +
                                            " and there is no metadata identity_experts");
  }
  if (stated.count("top_k", moe.k) != moe.k) {
    stated.refuse("top_k", "is not the " + std::to_string(moe.k) + " of topk_ids");
  }
  if (moe.k > route.e) file.refuse_tensor("topk_ids", "has more slots than there are experts");
  read_scoring(stated, route);
  read_groups(stated, route);
  if (moe.k > route.e / route.groups * route.kept_groups) {
    stated.refuse("topk_group", "leaves fewer experts than top_k");
  }
  route.renormalize = stated.flag("renormalize");
  route.renorm_epsilon = stated.number("renormalize_eps", 0.0);
  route.scale = stated.number("routed_scaling_factor", 1.0);
  route.has_bias = stated.flag("selection_bias");
  if (route.has_bias) {
    const Tensor& bias = file.require_shape("correction_bias", {route.e}, "the router logits");
    if (!format_of(bias.spec.dtype).is_float()) {
      file.refuse_tensor("correction_bias", "must be a float");
    }
  }
  return route;
}

void check_ids(const CaseFile& file, const MoeCase& moe) {
  const Tensor& ids = *file.find("topk_ids");
  if (ids.spec.dtype != DType::kI32 && ids.spec.dtype != DType::kI64) {
    file.refuse_tensor("topk_ids", "must be int32 or int64, not " + ids.spec.text());
  }
  const std::int64_t lowest = moe.routing ? 0 : -1;
  const std::int64_t most = moe.routing ? moe.routing->e : moe.e;
  const bool identity = file.text("identity_experts").has_value();
  for (std::int64_t n = 0; n < moe.t * moe.k; ++n) {
    const auto at = static_cast<std::size_t>(n);
    const std::int64_t id =
        ids.spec.dtype == DType::kI32 ? ids.as<std::int32_t>()[at] : ids.as<std::int64_t>()[at];
    const bool high = id >= most && (moe.routing || !identity || id > INT32_MAX);
    if (id >= lowest && !high) continue;
    file.refuse_tensor("topk_ids", "[" + std::to_string(n / moe.k) + ", " +
                                       std::to_string(n % moe.k) + "] is " + std::to_string(id) +
                                       ", outside the " + std::to_string(most) + " experts");
  }
}

/// w13, biases: rows as the activation asks for, experts at least those of w2.
void check_weights(const CaseFile& file, const MoeCase& moe) {
  const std::int64_t experts = file.require("w13", 3).spec.shape[0];
  const bool spare = file.text("identity_experts").has_value();
  if (experts < moe.e || (experts > moe.e && !spare)) {
    file.refuse_tensor(
        "w13", "has " + std::to_string(experts) + " experts, w2 has " + std::to_string(moe.e));
  }
  const bool gated = !moe.activation || moe.activation->gated();
  const std::int64_t rows = gated ? 2 * moe.i : moe.i;
  file.require_shape("w13", {experts, rows, moe.h}, "x, w2 and the activation");
  if ((file.find("w13_bias") == nullptr) != (file.find("w2_bias") == nullptr)) {
    file.refuse_tensor("w13_bias", "and w2_bias must both be there or both be missing");
  }
  if (file.find("w13_bias") == nullptr) return;
  file.require_shape("w13_bias", {file.require("w13_bias", 2).spec.shape[0], rows}, "w13");
  file.require_shape("w2_bias", {file.require("w2_bias", 2).spec.shape[0], moe.h}, "w2");
  for (const char* name : {"w13_bias", "w2_bias"}) {
    const std::int64_t biases = file.find(name)->spec.shape[0];
    if (biases != moe.e && biases != experts) {
      file.refuse_tensor(
          name, "has " + std::to_string(biases) + " experts, w2 has " + std::to_string(moe.e));
    }
  }
}

void check_floats(const CaseFile& file, const MoeCase& moe) {
  for (const char* name : {"x", "w13", "w2", "w13_bias", "w2_bias", "topk_weights"}) {
    const Tensor* tensor = file.find(name);
    const bool weight = name[0] == 'w';
    if (tensor == nullptr || format_of(tensor->spec.dtype).is_float()) continue;
    if (weight && !moe.scheme.empty()) continue;
    file.refuse_tensor(name, "must be a float, not " + tensor->spec.text());
  }
}

}  // namespace

MoeCase moe_case(const CaseFile& file) {
  MoeCase moe;
  moe.scheme = file.text("scheme").value_or("");
  moe.family = file.text("family").value_or("");
  const Tensor& x = file.require("x", 2);
  const Tensor& w2 = file.require("w2", 3);
  moe.t = x.spec.shape[0];
  moe.h = x.spec.shape[1];
  moe.io = x.spec.dtype;
  moe.e = w2.spec.shape[0];
  moe.i = w2.spec.shape[2];
  moe.k = file.require("topk_ids", 2).spec.shape[1];
  file.require_shape("w2", {moe.e, moe.h, moe.i}, "the columns of x");
  file.require_shape("topk_ids", {moe.t, moe.k}, "the tokens of x");
  file.require_shape("topk_weights", {moe.t, moe.k}, "topk_ids");
  if (file.text("activation")) moe.activation = activation_of(file);
  check_weights(file, moe);
  check_floats(file, moe);
  const std::optional<std::string> word = file.text("dtype");
  if (word && dtype_from_metadata(*word) != moe.io) {
    file.refuse_key("dtype", "is " + shown(*word) + ", but tensor x is " + x.spec.text());
  }
  if (file.text("routing")) moe.routing = routing_of(file, moe);
  check_ids(file, moe);
  return moe;
}

}  // namespace plumbline::golden
