#include <cmath>

#include "conformance/golden/judge_golden.h"
#include "reference/bounds/gemm.h"
#include "reference/formats/codec.h"
#include "reference/ops/gemm.h"

namespace plumbline::golden {
namespace {

/// The operands as doubles.
struct Operands {
  Matrix a;
  Matrix b;
  std::vector<double> scale_a;
  std::vector<double> scale_b;
};

Operands decode(const CaseFile& file, const GemmCase& gemm) {
  Operands in;
  in.a = ops::to_matrix(*file.find("a"), gemm.m, gemm.k);
  in.b = ops::to_matrix(*file.find("b"), gemm.n, gemm.k);
  if (gemm.scaled) {
    in.scale_a = formats::decode(*file.find("scale_a"));
    in.scale_b = formats::decode(*file.find("scale_b"));
  }
  return in;
}

std::vector<double> values_of(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

std::vector<double> magnitudes(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

/// Two sums in double of the same products: each errs by its own rounding alone.
Finding check_expected(const CaseFile& file, const GemmCase& gemm, const Operands& in) {
  file.require_shape("expected.out", {gemm.m, gemm.n}, "a and b");
  const Matrix value = ops::scaled_matmul_transposed(in.a, in.b, in.scale_a, in.scale_b);
  const Matrix absolute = ops::scaled_matmul_transposed(
      in.a.cwiseAbs(), in.b.cwiseAbs(), magnitudes(in.scale_a), magnitudes(in.scale_b));
  const Matrix limits = bounds::reference_gamma(gemm.k) * absolute;
  return against_golden(file, "expected.out", values_of(value), values_of(limits));
}

}  // namespace

Findings check_gemm(const CaseFile& file, const std::optional<Profile>& profile) {
  const GemmCase gemm = gemm_case(file);
  const Operands in = decode(file, gemm);
  Findings findings;
  if (file.find("expected.out") != nullptr) findings.push_back(check_expected(file, gemm, in));
  TensorSpec output;
  output.dtype = gemm.out;
  output.shape = {gemm.m, gemm.n};
  for (const std::string& name : file.devices()) {
    findings.push_back(
        against_profiles(file, {name, gemm.in, output}, profile, [&](const Profile& candidate) {
          if (candidate.accumulator == Accumulator::kInt32 && gemm.in != DType::kI8) {
            file.refuse_tensor("a", "is " + file.find("a")->spec.text() + "; profile " +
                                        candidate.name + " adds integers only");
          }
          return bounds::gemm(in.a, in.b, candidate, gemm.out, {in.scale_a, in.scale_b});
        }));
  }
  return findings;
}

}  // namespace plumbline::golden
