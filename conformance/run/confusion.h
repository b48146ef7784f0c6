#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "device/abi/implementation.h"

/// Whether each expert path's weight layout is really its own: weights that were packed for one
/// path are given to another of the same quant scheme, under the other's tag and flags, so that
/// nothing but the numbers can tell.
namespace plumbline::run {

/// One ordered pair of paths.
struct ConfusedPair {
  std::string from;             ///< the path that packed
  std::string to;               ///< the path that ran
  bool declared_equal = false;  ///< both name the same packer in their traits, and weight order
  std::int64_t cases = 0;
  std::int64_t noticed = 0;  ///< refused, or judged as anything but right

  double rate() const {
    return cases == 0 ? 0.0 : static_cast<double>(noticed) / static_cast<double>(cases);
  }
  /// At least 99 % noticed; for paths that are declared equal, none.
  bool holds() const { return declared_equal ? noticed == 0 : rate() >= kLeastRate; }

  static constexpr double kLeastRate = 0.99;
};

/// Every ordered pair of an implementation's expert paths that share a quant scheme, `cases` random
/// layers each. Pairs of one path with itself come first and must be right: they show that the
/// confusion, and not the way it is made, is what is noticed.
std::vector<ConfusedPair> confuse_packers(Implementation& implementation, std::int64_t cases,
                                          int jobs);

}  // namespace plumbline::run
