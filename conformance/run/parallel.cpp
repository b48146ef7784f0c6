#include "conformance/run/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <thread>
#include <vector>

#include "conformance/run/plan.h"

namespace plumbline::run {

void parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto drain = [&] {
    for (std::size_t n = next++; n < count; n = next++) {
      try {
        work(n);
      } catch (const std::exception&) {
        next = count;
        throw;
      }
    }
  };
  std::vector<std::future<void>> workers;
  for (int j = 1; j < jobs; ++j) workers.push_back(std::async(std::launch::async, drain));
  std::exception_ptr first;
  try {
    drain();
  } catch (const std::exception&) {
    first = std::current_exception();
  }
  for (std::future<void>& worker : workers) {
    try {
      worker.get();
    } catch (const std::exception&) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

int default_jobs() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 1;
#else
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#endif
}

}  // namespace plumbline::run
