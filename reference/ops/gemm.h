#pragma once
#include <span>

#include "reference/ops/matrix.h"

namespace plumbline::ops {

/// a·bᵀ. Shapes: a [m, k], b [n, k] → [m, n]; k = 0 gives zeros. Throws ContractViolation where the
/// k differ.
Matrix matmul_transposed(const Matrix& a, const Matrix& b);

/// (a·bᵀ)[i, j] · scale_a[i] · scale_b[j], as kernels with scaled operands compute it. Shapes as
/// above; a scale has one entry a row of its matrix, one entry for all, or none (1). Block-scaled
/// operands: formats::dequantize first.
Matrix scaled_matmul_transposed(const Matrix& a, const Matrix& b, std::span<const double> scale_a,
                                std::span<const double> scale_b);

}  // namespace plumbline::ops
