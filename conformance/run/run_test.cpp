#include "conformance/run/run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>

#include "conformance/cases/legal.h"
#include "conformance/run/parallel.h"
#include "conformance/run/plan.h"

namespace plumbline::run {
namespace {

TEST(Parallel, CallsEveryNumberOnceAndHandsOnAnException) {
  for (const int jobs : {1, 3}) {
    std::vector<std::atomic<int>> calls(100);
    parallel(calls.size(), jobs, [&](std::size_t n) { ++calls[n]; });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
    EXPECT_THROW(parallel(100, jobs,
                          [](std::size_t n) {
                            if (n == 17) throw std::runtime_error("17");
                          }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace plumbline::run
