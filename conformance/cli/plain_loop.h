#pragma once

namespace plumbline::cli {

/// Seconds of one product of n × n floats by the loop that the host GEMM kernel is measured
/// against: c[i, j] += a[i, k]·b[k, j], order i, k, j, as the compiler vectorises it at -O3.
double seconds_of_plain_loop(int n);

}  // namespace plumbline::cli
