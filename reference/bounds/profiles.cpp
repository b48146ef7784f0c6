#include "reference/bounds/profiles.h"

#include <algorithm>
#include <array>

namespace plumbline::bounds {
namespace {

Profile fp32() { return {.name = "fp32"}; }
Profile fp32_truncating() {
  return {.name = "fp32_truncating", .accumulator = Accumulator::kFp32Truncating};
}
Profile int32() { return {.name = "int32", .accumulator = Accumulator::kInt32}; }
Profile hopper_precise() {
  return {.name = "interim_hopper_fp8_precise", .accumulator = Accumulator::kHopperFp8Precise};
}
Profile hopper_fast() {
  return {.name = "interim_hopper_fp8_fast", .accumulator = Accumulator::kHopperFp8Fast};
}
Profile p_fp32() { return {.name = "p_fp32", .accumulator = Accumulator::kFp32Truncating}; }
Profile p_io() {
  return {
      .name = "p_io", .accumulator = Accumulator::kFp32Truncating, .probability = Probability::kIo};
}
Profile rounds_output() {
  return {.name = "rounds_output",
          .accumulator = Accumulator::kFp32Truncating,
          .rounding = ExpertRounding::kOutput};
}
Profile rounds_activation() {
  return {.name = "rounds_activation",
          .accumulator = Accumulator::kFp32Truncating,
          .rounding = ExpertRounding::kActivation};
}
Profile stages() { return {.name = "stages"}; }
Profile stages_silu_io() {
  return {.name = "stages_silu_io", .activation_rounded_before_product = true};
}
Profile every_operation() {
  return {.name = "every_operation",
          .accumulator = Accumulator::kFp32Truncating,
          .rounding = ExpertRounding::kEveryOperation,
          .activation_rounded_before_product = true};
}
Profile every_operation_io_sum() {
  Profile profile = every_operation();
  profile.name = "every_operation_io_sum";
  profile.combine = Combine::kIoInExpertOrder;
  return profile;
}

/// Integer codes are summed in int32, float codes by tensor cores.
Profile with_codes(Profile profile, DType code) {
  const bool integer = code == DType::kI8;
  profile.accumulator = integer ? Accumulator::kInt32 : Accumulator::kFp32Truncating;
  profile.name += integer ? "_int8" : "_fp8";
  return profile;
}

/// One division a scale: x is multiplied by its reciprocal.
Profile with_reciprocal_codes(Profile profile, DType code) {
  profile = with_codes(std::move(profile), code);
  profile.name += "_reciprocal";
  profile.quant.quotient = Quotient::kReciprocal;
  return profile;
}

/// Triton divides fast, and by a constant through its reciprocal: s = amax·(1/largest). Its int8
/// kernel multiplies x with 127/amax and rounds halves away from zero; the fp8 one takes 1/s. Seen
/// on an H200 over 6,400 bf16 amax: both scales meet that product bit for bit; 127/amax is off by
/// an ulp for 31 % of them, 1/s for 15 %, so these cannot be followed bit by bit.
Profile with_triton_codes(Profile profile, DType code) {
  profile = with_codes(std::move(profile), code);
  profile.name += "_triton";
  profile.quant.scale = ScaleDivision::kReciprocal;
  const bool integer = code == DType::kI8;
  profile.quant.quotient = integer ? Quotient::kApproximateAmax : Quotient::kApproximateReciprocal;
  profile.quant.ties = integer ? IntegerTies::kAway : IntegerTies::kEven;
  return profile;
}

// Tensor cores truncate, so what runs on them is given the factor 2.2; its largest ratio on the
// golden outputs is 0.94. `fp32` (nearest) is tried first for names that the table does not hold.
constexpr std::string_view kMeasured = "measured on NVIDIA H200, PyTorch 2.11";
constexpr std::string_view kInterim =
    "interim: measured on NVIDIA H200, to be replaced by a probed model of its FP8 adder";
constexpr std::string_view kTriton = "measured on NVIDIA H200, sglang of 2026-08, Triton 3.6";
constexpr std::string_view kTransformers = "measured on NVIDIA H200, transformers 5.17";

std::vector<ProfileRow> make_table() {
  std::vector<ProfileRow> rows;
  for (const DType input : {DType::kBf16, DType::kF16}) {
    rows.push_back({"gemm", input, "cublas", fp32_truncating(), kMeasured});
    for (const std::string_view device : {"flash", "cudnn", "efficient"}) {
      rows.push_back({"attention", input, device, p_io(), kMeasured});
    }
    rows.push_back({"attention", input, "math", p_fp32(), kMeasured});
    rows.push_back({"moe", input, "eager", every_operation_io_sum(), kTransformers});
    rows.push_back({"moe", input, "batched_mm", every_operation(), kTransformers});
    rows.push_back({"moe", input, "grouped_mm", every_operation(), kTransformers});
  }
  for (const DType code : {DType::kI8, DType::kE4m3fn}) {
    rows.push_back({"moe", code, "silu_fp32", with_triton_codes(stages(), code), kTriton});
    rows.push_back(
        {"moe", code, "act_and_mul_triton", with_triton_codes(stages_silu_io(), code), kTriton});
  }
  rows.push_back({"gemm", DType::kI8, "cublas", int32(), kMeasured});
  rows.push_back({"gemm", DType::kE4m3fn, "precise", hopper_precise(), kInterim});
  rows.push_back({"gemm", DType::kE4m3fn, "fast_accum", hopper_fast(), kInterim});
  return rows;
}

/// Layers that quantise what their products read.
std::vector<Profile> quantised_expert_profiles(DType code) {
  std::vector<Profile> profiles;
  for (const Profile& base : {rounds_output(), rounds_activation(), stages(), stages_silu_io()}) {
    profiles.push_back(with_codes(base, code));
    profiles.push_back(with_reciprocal_codes(base, code));
    profiles.push_back(with_triton_codes(base, code));
  }
  return profiles;
}

/// Every profile of a kind, tightest first.
std::vector<Profile> all_profiles(std::string_view kind, DType input) {
  if (kind == "gemm" && input == DType::kI8) return {int32()};
  if (kind == "gemm" && format_of(input).bits == 8) {
    return {fp32(), fp32_truncating(), hopper_precise(), hopper_fast()};
  }
  if (kind == "gemm") return {fp32(), fp32_truncating()};
  if (kind == "attention") return {p_fp32(), p_io()};
  if (kind == "moe" && format_of(input).bits == 8) return quantised_expert_profiles(input);
  if (kind == "moe") {
    return {rounds_output(),  rounds_activation(), stages(),
            stages_silu_io(), every_operation(),   every_operation_io_sum()};
  }
  return {};
}

}  // namespace

std::span<const ProfileRow> profile_table() {
  static const std::vector<ProfileRow> table = make_table();
  return table;
}

std::vector<Profile> candidate_profiles(std::string_view kind, DType input,
                                        std::string_view device) {
  std::vector<Profile> found;
  for (const ProfileRow& row : profile_table()) {
    if (row.kind == kind && row.input == input && row.device == device) {
      found.push_back(row.profile);
    }
  }
  return found.empty() ? all_profiles(kind, input) : found;
}

}  // namespace plumbline::bounds
