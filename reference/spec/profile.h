#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline {

/// What a sum of products is kept in.
enum class Accumulator : std::uint8_t {
  kFp32,              ///< fp32, any order, FMA or not, rounded to nearest
  kFp32Truncating,    ///< fp32 tensor core that may truncate (factor 2.2 of error_bounds 2.1)
  kInt32,             ///< exact
  kHopperFp8Precise,  ///< interim: fp32 bound + 4·2⁻¹³·Σ|ab|, promotion to fp32
  kHopperFp8Fast,     ///< interim: fp32 bound + (K/32)·2⁻¹³·Σ|ab|, no promotion
};

/// Where an expert layer rounds to the io type.
enum class ExpertRounding : std::uint8_t {
  kStages,          ///< R1 after GEMM1 (+bias), R2 after the activation, R3 after the router weight
  kEveryOperation,  ///< each product, bias, elementwise operation and weight product rounds
  kActivation,      ///< only what GEMM2 reads, the rest stays in fp32 (fused kernels)
  kOutput,          ///< nothing but the output
};

/// How the k results of a token are added.
enum class Combine : std::uint8_t {
  kFp32,             ///< fp32 in any order, rounded once
  kIoInExpertOrder,  ///< io type, ascending expert id, rounded at each step
};

/// Type of the softmax weights P in P·V.
enum class Probability : std::uint8_t { kFp32, kIo };

/// How a dynamic scale s comes from the largest magnitude of its group, in fp32; `largest` is that
/// of the codes (448, 127).
enum class ScaleDivision : std::uint8_t {
  kDivide,      ///< s = amax / largest
  kReciprocal,  ///< s = amax · (1/largest), the reciprocal rounded to fp32
};

/// What is rounded to a code, in fp32. "Approximate": the division errs by up to 2 ulp, as a GPU's
/// fast division does (PTX ISA, div.full.f32), so near a tie either code is right.
enum class Quotient : std::uint8_t {
  kDivide,                 ///< x / s
  kReciprocal,             ///< x · (1/s)
  kApproximateReciprocal,  ///< x · (1/s), 1/s approximate
  kApproximateAmax,        ///< x · (largest/amax), largest/amax approximate
};

/// Where a quotient halfway between two integer codes goes. Float codes always go to the even one.
enum class IntegerTies : std::uint8_t { kEven, kAway };

/// Arithmetic of a dynamic quantisation.
struct QuantArithmetic {
  ScaleDivision scale = ScaleDivision::kDivide;
  Quotient quotient = Quotient::kDivide;
  IntegerTies ties = IntegerTies::kEven;

  friend bool operator==(const QuantArithmetic&, const QuantArithmetic&) = default;
};

/// The arithmetic an implementation promises. The judge derives every radius from it; a looser
/// promise is visible in the report. Defaults are the tightest.
struct Profile {
  std::string name = "fp32";
  Accumulator accumulator = Accumulator::kFp32;
  ExpertRounding rounding = ExpertRounding::kStages;
  Combine combine = Combine::kFp32;
  Probability probability = Probability::kFp32;
  bool activation_rounded_before_product = false;  ///< silu(g) rounds to io before · u
  QuantArithmetic quant{};  ///< of x and of the activation, where the layer quantises them

  friend bool operator==(const Profile&, const Profile&) = default;
};

/// A profile as words: "accumulator" → "fp32", in the order of the fields; flags are true or false.
/// The words of `quant` are there only where they are not the defaults.
using ProfileWords = std::vector<std::pair<std::string, std::string>>;
ProfileWords to_words(const Profile& profile);
/// Sets one field. Returns nothing, or the rule that key and word break.
std::string set_word(Profile& profile, std::string_view key, std::string_view word);

}  // namespace plumbline
