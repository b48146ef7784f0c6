#pragma once
#include <cstddef>
#include <functional>

namespace plumbline::run {

/// Calls `work` with 0 … count − 1, in this order, from `jobs` threads. The first exception stops
/// the rest and is thrown to the caller.
void parallel(std::size_t count, int jobs, const std::function<void(std::size_t)>& work);

}  // namespace plumbline::run
