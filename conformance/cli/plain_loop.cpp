#include "conformance/cli/plain_loop.h"

#include <chrono>
#include <cstddef>
#include <limits>
#include <vector>

namespace plumbline::cli {

double seconds_of_plain_loop(int n) {
  using Clock = std::chrono::steady_clock;
  const auto width = static_cast<std::size_t>(n);
  const std::vector<float> a(width * width, 0.5F);
  const std::vector<float> b(width * width, 0.25F);
  std::vector<float> c(width * width, 0.0F);
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < width; ++i) {
    float* row = c.data() + i * width;
    for (std::size_t k = 0; k < width; ++k) {
      const float factor = a[i * width + k];
      const float* other = b.data() + k * width;
      for (std::size_t j = 0; j < width; ++j) row[j] += factor * other[j];
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return c.back() > 0.0F ? seconds : std::numeric_limits<double>::infinity();
}

}  // namespace plumbline::cli
