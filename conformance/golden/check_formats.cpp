#include <bit>
#include <cmath>
#include <limits>

#include "conformance/golden/judge_golden.h"
#include "reference/formats/codec.h"
#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

using nlohmann::json;

/// float32 → e8m0fnu: ml_dtypes rounds the number just below the middle between codes 0 and 1 up.
constexpr std::uint32_t kE8m0Exception = 0x5FFFFF;

/// One list of a formats.json while it is compared.
struct Comparison {
  std::string_view file;
  std::string place;  ///< "formats.float8_e4m3fn.encode"
  DType dtype;
  std::int64_t compared = 0;
  std::int64_t wrong = 0;
  std::int64_t excepted = 0;
  std::string first_wrong = {};

  [[noreturn]] void refuse(const std::string& rule) const { throw BadInput(file, place, rule); }

  void differ(const std::string& text) {
    if (wrong++ == 0) first_wrong = text;
  }
};

std::uint64_t unsigned_below(const json& value, std::uint64_t limit, const Comparison& at) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= limit) {
    at.refuse("must hold integers below " + std::to_string(limit) + ", not " + shown(value));
  }
  return value.get<std::uint64_t>();
}

const json& array_of(const json& object, const char* name, const Comparison& at) {
  const auto it = object.find(name);
  if (it == object.end() || !it->is_array()) at.refuse("must be an array");
  return *it;
}

double float_of(std::uint64_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

/// Equal bit for bit; any NaN is as good as another.
bool same_value(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void compare_codes(const json& values, Comparison& at) {
  const std::uint64_t codes = std::uint64_t{1} << format_of(at.dtype).bits;
  if (values.size() != codes) {
    at.refuse("must hold one value a code, " + std::to_string(codes) + ", not " +
              std::to_string(values.size()));
  }
  for (std::uint64_t code = 0; code < codes; ++code) {
    const double stated = float_of(unsigned_below(values[code], 1ULL << 32, at));
    const double decoded = formats::decode(at.dtype, code);
    ++at.compared;
    if (same_value(stated, decoded)) continue;
    at.differ("code " + std::to_string(code) + ": expected " + std::to_string(stated) + ", got " +
              std::to_string(decoded));
  }
}

void compare_pair(const json& pair, Comparison& at) {
  if (!pair.is_array() || pair.size() != 2) at.refuse("must hold pairs [float32 bits, code]");
  const std::uint64_t bits = unsigned_below(pair[0], 1ULL << 32, at);
  const std::uint64_t stated = unsigned_below(pair[1], 1ULL << format_of(at.dtype).bits, at);
  const std::uint64_t encoded = formats::encode(at.dtype, float_of(bits));
  ++at.compared;
  if (stated == encoded) return;
  const bool both_nan = std::isnan(formats::decode(at.dtype, stated)) &&
                        std::isnan(formats::decode(at.dtype, encoded));
  if (both_nan) return;
  if (at.dtype == DType::kE8m0fnu && bits == kE8m0Exception && stated == 1) {
    ++at.excepted;
    return;
  }
  at.differ("float32 bits " + std::to_string(bits) + ": expected code " + std::to_string(stated) +
            ", got " + std::to_string(encoded));
}

Finding finding_of(const std::string& thing, const Comparison& at, const char* unit) {
  judge::Judgement judgement;
  judgement.verdict = at.wrong == 0 ? Verdict::kPass : Verdict::kFail;
  judgement.lane = "bitwise";
  judgement.elements = at.compared;
  judgement.compared = at.compared;
  judgement.margin = at.wrong == 0 ? 0 : std::numeric_limits<double>::infinity();
  judgement.reason = std::to_string(at.compared) + " " + unit + " bit for bit";
  if (at.excepted > 0) {
    judgement.reason += ", " + std::to_string(at.excepted) + " of them the exception 0x5FFFFF to 1";
  }
  if (at.wrong > 0) {
    judgement.reason = std::to_string(at.wrong) + " of " + std::to_string(at.compared) + " " +
                       unit + " differ, first " + at.first_wrong;
  }
  return {thing, judgement, ""};
}

Finding compare_pairs(const std::string& thing, const json& pairs, Comparison at) {
  if (pairs.empty()) at.refuse("must hold at least one pair [float32 bits, code]");
  for (const json& pair : pairs) compare_pair(pair, at);
  return finding_of(thing, at, "pairs");
}

void check_format(const std::string& name, const json& object, std::string_view file,
                  Findings& findings) {
  const std::string place = "formats." + name;
  const Format* known = nullptr;
  for (const Format& format : all_formats()) {
    if (!format.ml_name.empty() && format.ml_name == name && format.bits <= 8) known = &format;
  }
  if (known == nullptr) throw BadInput(file, place, "unknown format");
  Comparison at{.file = file, .place = place, .dtype = known->dtype};
  if (!object.is_object()) at.refuse("must be an object");
  const auto bits = object.find("bits");
  if (bits != object.end() && *bits != known->bits) {
    at.refuse("bits must be " + std::to_string(known->bits) + ", not " + shown(*bits));
  }
  at.place = place + ".decode_f32_bits";
  compare_codes(array_of(object, "decode_f32_bits", at), at);
  findings.push_back(finding_of(name + ".decode", at, "codes"));
  Comparison pairs{.file = file, .place = place + ".encode", .dtype = known->dtype};
  const json& list = array_of(object, "encode", pairs);
  findings.push_back(compare_pairs(name + ".encode", list, pairs));
}

}  // namespace

Findings check_formats(std::string_view text, std::string_view file) {
  const json root = strict_json(text, file, "");
  if (!root.is_object()) throw BadInput(file, "", "must be a JSON object");
  const auto formats = root.find("formats");
  if (formats == root.end() || !formats->is_object() || formats->empty()) {
    throw BadInput(file, "formats", "is missing: not a formats.json");
  }
  Findings findings;
  for (const auto& [name, object] : formats->items()) check_format(name, object, file, findings);
  const std::pair<const char*, DType> wide_types[] = {{"float32_to_bfloat16", DType::kBf16},
                                                      {"float32_to_float16", DType::kF16}};
  for (const auto& [name, dtype] : wide_types) {
    const Comparison at{.file = file, .place = name, .dtype = dtype};
    findings.push_back(compare_pairs(name, array_of(root, name, at), at));
  }
  return findings;
}

}  // namespace plumbline::golden
