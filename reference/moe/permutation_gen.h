#pragma once
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace plumbline::moe {

/// A random order of 0 … count − 1, for tests that relabel experts.
inline rc::Gen<std::vector<std::int32_t>> any_permutation(std::int64_t count) {
  const auto keys = rc::gen::container<std::vector<int>>(static_cast<std::size_t>(count),
                                                         rc::gen::inRange(0, 1 << 20));
  return rc::gen::map(keys, [](const std::vector<int>& key) {
    std::vector<std::int32_t> order(key.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
    });
    return order;
  });
}

}  // namespace plumbline::moe
