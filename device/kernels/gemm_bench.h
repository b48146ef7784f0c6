#pragma once
#include <cstdint>

namespace plumbline::device {

/// Seconds of one product c[m, n] = a[m, k] · b[n, k]ᵀ in floats by the GEMM kernel of the host
/// target, the launch included, copies not; one worker. Throws DeviceError.
double seconds_of_gemm(std::int32_t m, std::int32_t n, std::int32_t k);

}  // namespace plumbline::device
