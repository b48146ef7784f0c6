#pragma once
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include "reference/bounds/expected.h"
#include "reference/moe/experts.h"
#include "reference/spec/problems.h"
#include "reference/spec/profile.h"

/// Devices in fp32, written for the tests of the bounds: what a right kernel may return.
namespace plumbline::bounds::emulate {

/// How a sum of products is ordered.
enum class Order : std::uint8_t { kForward, kReverse, kPairwise, kFma, kLanes };
inline constexpr Order kOrders[] = {Order::kForward, Order::kReverse, Order::kPairwise, Order::kFma,
                                    Order::kLanes};

/// Data of a named kind: "gaussian", "heavy", "cancelling", "integers", "positive"; each value
/// exact in `dtype`.
Matrix draw(std::string_view kind, Eigen::Index rows, Eigen::Index cols, DType dtype,
            std::mt19937_64& random);
inline constexpr std::string_view kKinds[] = {"gaussian", "heavy", "cancelling", "integers",
                                              "positive"};

/// Σ a[j]·b[j] in fp32.
float dot(const double* a, const double* b, Eigen::Index n, Order order);

/// `x` rounded to `dtype`, as a float.
float round(DType dtype, float x);

/// An expert layer with silu and without biases: roundings R1 to R3 in bf16, fp32 combine. With a
/// `group`, x and the activations are quantised to e4m3fn in groups of that many first; 0: not.
/// `rounding` kActivation keeps R2 only, kOutput none.
Matrix staged_experts(const moe::ExpertInputs& in, Order order, std::int64_t group = 0,
                      ExpertRounding rounding = ExpertRounding::kStages);

/// Number of elements of `got` that are not within the radius; NaN counts.
std::int64_t outside(const Matrix& value, const Matrix& radius, const Matrix& got);
std::int64_t outside(const Expected& expected, const Matrix& got);

}  // namespace plumbline::bounds::emulate
