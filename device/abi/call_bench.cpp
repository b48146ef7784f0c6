#include "device/abi/call_bench.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "reference/spec/problems.h"

namespace plumbline {

double refuses_microseconds(Implementation& implementation) {
  constexpr int kLoops = 7;
  constexpr int kCalls = 2000;
  const Problem problem = RouteProblem{}.to_problem();
  Tensor logits = Tensor::zeros({DType::kF32, {1, 8}});
  const TensorViews inputs = {{"router_logits", {logits.spec, logits.data.data()}}};
  double best = std::numeric_limits<double>::infinity();
  for (int loop = 0; loop < kLoops; ++loop) {
    const auto begin = std::chrono::steady_clock::now();
    for (int call = 0; call < kCalls; ++call) {
      if (implementation.refuses(problem, inputs)) return -1;
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / kCalls);
  }
  return best;
}

}  // namespace plumbline
