#include "device/kernels/gemm_bench.h"

#include <chrono>
#include <vector>

#include "device/kernels/buffer.h"
#include "device/kernels/expert_gemm.h"

namespace plumbline::device {
namespace {

/// Small integers, so that the sums stay ordinary numbers.
std::vector<float> some_numbers(std::int64_t count) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (std::size_t index = 0; index < numbers.size(); ++index) {
    numbers[index] = static_cast<float>(index * 7 % 15) - 7.0F;
  }
  return numbers;
}

}  // namespace

double seconds_of_gemm(std::int32_t m, std::int32_t n, std::int32_t k) {
  const std::vector<float> a_values = some_numbers(std::int64_t{m} * k);
  const std::vector<float> b_values = some_numbers(std::int64_t{n} * k);
  const Stream stream;
  const Buffer a(4 * std::int64_t{m} * k);
  const Buffer b(4 * std::int64_t{n} * k);
  const Buffer c(4 * std::int64_t{m} * n);
  a.upload(a_values.data(), stream);
  b.upload(b_values.data(), stream);
  stream.wait();
  const auto start = std::chrono::steady_clock::now();
  launch_float_gemm({a.as<float>(), b.as<float>(), c.as<float>(), m, n, k}, stream.get());
  stream.wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace plumbline::device
