#include "reference/bounds/gemm.h"

#include <cmath>

#include "reference/ops/gemm.h"
#include "reference/spec/status.h"

namespace plumbline::bounds {
namespace {

/// What the hardware adds to the fp32 bound, relative to Σ|a·b|. Hopper adds FP8 products with 13
/// fraction bits below the largest: up to 2^−13 of it a step of 32 products; precise mode promotes
/// to fp32 every few steps (4 covers what was seen), fast mode never does. Interim: to be replaced
/// by a probed model.
double hardware_term(Accumulator accumulator, std::int64_t terms) {
  switch (accumulator) {
    case Accumulator::kHopperFp8Precise:
      return 4 * 0x1p-13;
    case Accumulator::kHopperFp8Fast:
      return static_cast<double>(terms) / 32 * 0x1p-13;
    default:
      return 0;
  }
}

double relative_radius(const Profile& profile, std::int64_t terms) {
  if (profile.accumulator == Accumulator::kInt32) return 0;
  // Everything but plain fp32 runs on tensor cores, which may truncate.
  return gamma32(terms, 0, profile.accumulator != Accumulator::kFp32) +
         hardware_term(profile.accumulator, terms) + reference_gamma(terms);
}

void apply_scales(const GemmScales& scales, Matrix& values) {
  for (Eigen::Index i = 0; i < values.rows() && !scales.a.empty(); ++i) {
    values.row(i) *= scales.a[scales.a.size() == 1 ? 0 : static_cast<std::size_t>(i)];
  }
  for (Eigen::Index j = 0; j < values.cols() && !scales.b.empty(); ++j) {
    values.col(j) *= scales.b[scales.b.size() == 1 ? 0 : static_cast<std::size_t>(j)];
  }
}

void check_scales(std::span<const double> scales, Eigen::Index rows, const char* which) {
  if (scales.size() > 1 && scales.size() != static_cast<std::size_t>(rows)) {
    throw ContractViolation(std::string("bounds::gemm: scale_") + which + " has " +
                            std::to_string(scales.size()) + " entries for " + std::to_string(rows) +
                            " rows");
  }
}

}  // namespace

Expected gemm(const Matrix& a, const Matrix& b, const Profile& profile, DType out,
              const GemmScales& scales) {
  check_scales(scales.a, a.rows(), "a");
  check_scales(scales.b, b.rows(), "b");
  Enclosure product{ops::matmul_transposed(a, b),
                    ops::matmul_transposed(a.cwiseAbs(), b.cwiseAbs())};
  const bool exact = profile.accumulator == Accumulator::kInt32;
  if (exact && product.radius.size() > 0 && !(product.radius.maxCoeff() < 0x1p53)) {
    throw ContractViolation("bounds::gemm: an integer sum beyond 2^53 is not exact in double");
  }
  product.radius *= relative_radius(profile, a.cols());
  if (!exact) add_underflow(a.cols(), product.radius);
  apply_scales(scales, product.mid);
  apply_scales(scales, product.radius);
  product.radius = product.radius.cwiseAbs();
  if (!scales.a.empty() || !scales.b.empty()) {
    // Two multiplications in fp32, on a sum that already errs by the radius; (1 + 2u)² − 1 < 5u.
    product.radius += 5 * kUnit32 * (product.mid.cwiseAbs() + product.radius);
  }
  add_output_rounding(out, product);
  Expected expected{out, {a.rows(), b.rows()}, {}, {}};
  expected.value.assign(product.mid.data(), product.mid.data() + product.mid.size());
  expected.radius.assign(product.radius.data(), product.radius.data() + product.radius.size());
  return expected;
}

}  // namespace plumbline::bounds
