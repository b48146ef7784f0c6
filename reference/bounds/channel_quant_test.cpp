#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "reference/bounds/emulate.h"
#include "reference/bounds/experts.h"
#include "reference/formats/codec.h"

/// W8A8 with one scale a token and one an output channel: devices that are
/// right in different ways stay within the radius, and those with one mistake
/// leave it.
namespace plumbline::bounds {
namespace {

/// A layer whose weights are codes with scales.
struct Quantised {
  moe::ExpertInputs in;
  std::vector<Matrix> codes13, codes2;
  Matrix scale13, scale2;  ///< [e, 2i], [e, h]
};

bool is_int8(const ExpertArithmetic& how) { return how.quant == "w8a8_int8"; }

Matrix random_codes(bool int8, Eigen::Index rows, Eigen::Index cols, std::mt19937_64& random) {
  Matrix codes = emulate::draw("gaussian", rows, cols, DType::kF32, random) * (int8 ? 32.0 : 16.0);
  return codes.unaryExpr([&](double x) {
    return formats::round_to(int8 ? DType::kI8 : DType::kE4m3fn, std::clamp(x, -127.0, 127.0));
  });
}

/// Scales between ½ and 2 times `size`, numbers of fp32.
Matrix random_scales(Eigen::Index rows, Eigen::Index cols, double size, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0.5, 2.0);
  Matrix scales(rows, cols);
  for (Eigen::Index n = 0; n < scales.size(); ++n) {
    scales.data()[n] = static_cast<float>(size * uniform(random));
  }
  return scales;
}

Matrix dequantised(const Matrix& codes, const Matrix& scales, Eigen::Index expert) {
  return scales.row(expert).transpose().asDiagonal() * codes;
}

/// Columns of the two products, and the kind of x.
struct Shape {
  std::int64_t h = 70;
  std::int64_t i = 44;
  std::string_view kind = "gaussian";
};

Quantised make_layer(const ExpertArithmetic& how, WeightOn weight_on, std::mt19937_64& random,
                     const Shape& shape = {}) {
  constexpr std::int64_t kExperts = 3;
  Quantised layer;
  moe::ExpertInputs& in = layer.in;
  in.t = 6;
  in.h = shape.h;
  in.i = shape.i;
  in.e = kExperts;
  in.k = 2;
  in.weight_on = weight_on;
  in.io = how.io;
  in.x = emulate::draw(shape.kind, in.t, in.h, how.io, random);
  const double unit = is_int8(how) ? 1.0 / 32 : 1.0 / 16;
  const std::int64_t rows = how.activation.gated() ? 2 * in.i : in.i;
  in.w13_bias = emulate::draw("gaussian", in.e, rows, DType::kBf16, random) / 2;
  in.w2_bias = emulate::draw("gaussian", in.e, in.h, DType::kBf16, random) / 2;
  layer.scale13 = random_scales(in.e, rows, unit / 8, random);
  layer.scale2 = random_scales(in.e, in.h, unit / 6, random);
  for (std::int64_t expert = 0; expert < in.e; ++expert) {
    layer.codes13.push_back(random_codes(is_int8(how), rows, in.h, random));
    layer.codes2.push_back(random_codes(is_int8(how), in.h, in.i, random));
    in.w13.push_back(dequantised(layer.codes13.back(), layer.scale13, expert));
    in.w2.push_back(dequantised(layer.codes2.back(), layer.scale2, expert));
  }
  for (std::int64_t slot = 0; slot < in.t * in.k; ++slot) {
    in.ids.push_back(static_cast<std::int32_t>((slot + slot / 3) % kExperts));
  }
  in.topk_weights = emulate::draw("positive", in.t, in.k, DType::kF32, random);
  return layer;
}

/// How a device computes, and where it goes wrong.
struct Device {
  bool scales_first = false;  ///< P·(s_a·s_w) instead of (P·s_a)·s_w
  bool reverse = false;       ///< order of the sum
  int wrong_channel = 0;      ///< the scale of another channel
  bool weight_twice = false;  ///< the router weight also on the output
  bool other_token = false;   ///< scales of the token before
  bool no_limit = false;      ///< the limit of swiglu is not applied
};

/// What leaves GEMM1 of one channel: gate and up, or the value of relu2 alone.
float activate_one(float gate, float up, const Activation& activation, const Device& device) {
  if (!activation.gated()) return std::max(gate, 0.0F) * std::max(gate, 0.0F);
  if (activation.kind == Activation::Kind::kSilu) return gate / (1.0F + std::exp(-gate)) * up;
  const auto limit = static_cast<float>(activation.limit);
  if (limit > 0 && !device.no_limit) {
    gate = std::min(gate, limit);
    up = std::clamp(up, -limit, limit);
  }
  const float sigmoid = 1.0F / (1.0F + std::exp(-static_cast<float>(activation.alpha) * gate));
  return gate * sigmoid * (up + static_cast<float>(activation.beta));
}

struct TokenCodes {
  std::vector<float> codes;
  float scale = 0;
};

TokenCodes quantise(const std::vector<float>& row, bool int8) {
  const float largest = int8 ? 127.0F : 448.0F;
  float absolute = 1e-10F;
  for (const float x : row) absolute = std::max(absolute, std::abs(x));
  TokenCodes result;
  result.scale = absolute / largest;
  for (const float x : row) {
    const float q = x / result.scale;
    result.codes.push_back(int8 ? std::nearbyint(q) : emulate::round(DType::kE4m3fn, q));
  }
  return result;
}

/// The weights of one expert: codes [rows, k], scales [experts, rows].
struct Weights {
  const Matrix& codes;
  const Matrix& scales;
  Eigen::Index expert;
};

float product(const TokenCodes& a, const Weights& of, Eigen::Index row, const Device& device,
              bool int8) {
  std::int64_t integer = 0;
  float real = 0;
  const auto k = static_cast<Eigen::Index>(a.codes.size());
  for (Eigen::Index step = 0; step < k; ++step) {
    const Eigen::Index j = device.reverse ? k - 1 - step : step;
    const auto w = static_cast<float>(of.codes(row, j));
    integer += static_cast<std::int64_t>(a.codes[static_cast<std::size_t>(j)]) *
               static_cast<std::int64_t>(w);
    real += a.codes[static_cast<std::size_t>(j)] * w;
  }
  const float sum = int8 ? static_cast<float>(integer) : real;
  const Eigen::Index channel = (row + device.wrong_channel) % of.scales.cols();
  const auto scale = static_cast<float>(of.scales(of.expert, channel));
  return device.scales_first ? sum * (a.scale * scale) : (sum * a.scale) * scale;
}

/// One device at work on one layer.
struct Emulation {
  const Quantised& layer;
  const ExpertArithmetic& how;
  const Device& device;
  float scale_before = 1.0F / 64;  ///< of the row before

  DType between() const {
    return how.profile.rounding == ExpertRounding::kStages ? how.io : DType::kF32;
  }

  std::vector<float> input_row(std::int64_t t, float weight) const {
    std::vector<float> x;
    for (std::int64_t c = 0; c < layer.in.h; ++c) {
      auto value = static_cast<float>(layer.in.x(t, c));
      if (layer.in.weight_on == WeightOn::kInput) value = emulate::round(how.io, weight * value);
      x.push_back(value);
    }
    return x;
  }

  std::vector<float> activated_row(const TokenCodes& a, Eigen::Index expert) const {
    const auto e = static_cast<std::size_t>(expert);
    const auto gemm1 = [&](std::int64_t row) {
      const float y =
          product(a, {layer.codes13[e], layer.scale13, expert}, row, device, is_int8(how));
      return emulate::round(between(), y + static_cast<float>(layer.in.w13_bias(expert, row)));
    };
    std::vector<float> activated;
    for (std::int64_t r = 0; r < layer.in.i; ++r) {
      const float gate = gemm1(r);
      const float up = how.activation.gated() ? gemm1(r + layer.in.i) : 0;
      activated.push_back(emulate::round(how.io, activate_one(gate, up, how.activation, device)));
    }
    return activated;
  }

  void add_slot(std::int64_t t, std::int64_t slot, std::vector<float>& total) {
    const moe::ExpertInputs& in = layer.in;
    const auto weight = static_cast<float>(in.topk_weights(t, slot));
    const auto expert =
        static_cast<Eigen::Index>(in.ids[static_cast<std::size_t>(t * in.k + slot)]);
    TokenCodes a = quantise(input_row(t, weight), is_int8(how));
    if (device.other_token) std::swap(a.scale, scale_before);
    const TokenCodes b = quantise(activated_row(a, expert), is_int8(how));
    const bool weighted = in.weight_on == WeightOn::kOutput || device.weight_twice;
    const auto e = static_cast<std::size_t>(expert);
    for (std::int64_t r = 0; r < in.h; ++r) {
      const float y = product(b, {layer.codes2[e], layer.scale2, expert}, r, device, is_int8(how)) +
                      static_cast<float>(in.w2_bias(expert, r));
      total[static_cast<std::size_t>(r)] += emulate::round(between(), weighted ? y * weight : y);
    }
  }
};

Matrix emulated(const Quantised& layer, const ExpertArithmetic& how, const Device& device) {
  const moe::ExpertInputs& in = layer.in;
  Emulation emulation{layer, how, device};
  Matrix out(in.t, in.h);
  for (std::int64_t t = 0; t < in.t; ++t) {
    std::vector<float> total(static_cast<std::size_t>(in.h), 0.0F);
    for (std::int64_t slot = 0; slot < in.k; ++slot) emulation.add_slot(t, slot, total);
    for (std::int64_t r = 0; r < in.h; ++r) {
      out(t, r) = emulate::round(how.io, total[static_cast<std::size_t>(r)]);
    }
  }
  return out;
}

std::vector<ExpertArithmetic> all_arithmetic() {
  std::vector<ExpertArithmetic> all;
  for (const char* quant : {"w8a8_int8", "w8a8_fp8_channel"}) {
    for (const ExpertRounding rounding : {ExpertRounding::kStages, ExpertRounding::kActivation}) {
      ExpertArithmetic how;
      how.quant = quant;
      how.profile.rounding = rounding;
      if (is_int8(how)) how.profile.accumulator = Accumulator::kInt32;
      all.push_back(how);
    }
  }
  return all;
}

std::vector<Activation> all_activations() {
  std::vector<Activation> all(4);
  all[0].kind = Activation::Kind::kSilu;
  all[1].kind = Activation::Kind::kRelu2;
  for (const std::size_t n : {2U, 3U}) {
    all[n].kind = Activation::Kind::kSwiglu;
    all[n].alpha = n == 2 ? 1.702 : 1.0;
    all[n].beta = n == 2 ? 1.0 : 0.0;
    all[n].limit = 0.5;
  }
  return all;
}

/// Devices that are right, each in its way.
std::vector<Device> right_devices() {
  std::vector<Device> all(4);
  all[1].scales_first = all[3].scales_first = true;
  all[2].reverse = all[3].reverse = true;
  return all;
}

void for_each_layer(const std::function<void(const Quantised&, const ExpertArithmetic&)>& check) {
  constexpr int kLayers = 8;
  std::mt19937_64 random(7);
  for (const ExpertArithmetic& how : all_arithmetic()) {
    for (int again = 0; again < 2 * kLayers; ++again) {
      const WeightOn weight_on = again % 2 == 0 ? WeightOn::kOutput : WeightOn::kInput;
      check(make_layer(how, weight_on, random), how);
    }
  }
}

TEST(ChannelQuant, DevicesThatAreRightInDifferentWaysStayWithinTheRadius) {
  for_each_layer([](const Quantised& layer, const ExpertArithmetic& how) {
    const Expected expected = experts(layer.in, how);
    for (const Device& device : right_devices()) {
      EXPECT_EQ(emulate::outside(expected, emulated(layer, how, device)), 0)
          << how.quant << " scales first " << device.scales_first << " reverse " << device.reverse;
    }
  });
}

TEST(ChannelQuant, EachMistakeLeavesTheRadius) {
  for_each_layer([](const Quantised& layer, const ExpertArithmetic& how) {
    const Expected expected = experts(layer.in, how);
    Device neighbour;
    neighbour.wrong_channel = 1;
    Device token;
    token.other_token = true;
    EXPECT_GT(emulate::outside(expected, emulated(layer, how, neighbour)),
              layer.in.t * layer.in.h / 2);
    EXPECT_GT(emulate::outside(expected, emulated(layer, how, token)), layer.in.t * layer.in.h / 2);
    if (layer.in.weight_on == WeightOn::kOutput) return;
    Device twice;
    twice.weight_twice = true;
    EXPECT_GT(emulate::outside(expected, emulated(layer, how, twice)), layer.in.h);
  });
}

RC_GTEST_PROP(ChannelQuant, HoldsEveryOrderOfRandomLayers, ()) {
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  ExpertArithmetic how = *rc::gen::elementOf(all_arithmetic());
  how.activation = *rc::gen::elementOf(all_activations());
  // In f32 nothing hides the roundings of the scales.
  how.io = *rc::gen::element(DType::kBf16, DType::kF32);
  const auto weight_on = *rc::gen::element(WeightOn::kOutput, WeightOn::kInput);
  Shape shape;
  shape.h = *rc::gen::inRange<std::int64_t>(1, 90);
  shape.i = *rc::gen::inRange<std::int64_t>(1, 50);
  shape.kind = *rc::gen::elementOf(
      std::vector<std::string_view>(std::begin(emulate::kKinds), std::end(emulate::kKinds)));
  const Quantised layer = make_layer(how, weight_on, random, shape);
  const Expected expected = experts(layer.in, how);
  for (const Device& device : right_devices()) {
    RC_ASSERT(emulate::outside(expected, emulated(layer, how, device)) == 0);
  }
}

/// Codes between 112 and 127.
Matrix near_the_largest(const Matrix& codes, bool int8) {
  return codes.unaryExpr([int8](double c) {
    const double large = 127 - std::fmod(std::abs(c), 15.0);
    return formats::round_to(int8 ? DType::kI8 : DType::kE4m3fn, large);
  });
}

/// Beyond 2^24 the conversion of the sum rounds.
TEST(ChannelQuant, SumsBeyondTheIntegersOfFp32StayWithinTheRadius) {
  std::mt19937_64 random(5);
  for (ExpertArithmetic how : all_arithmetic()) {
    how.activation.kind = Activation::Kind::kRelu2;
    Shape shape;
    shape.h = 2600;
    shape.i = 12;
    shape.kind = "positive";
    Quantised layer = make_layer(how, WeightOn::kOutput, random, shape);
    for (std::int64_t e = 0; e < layer.in.e; ++e) {
      const auto n = static_cast<std::size_t>(e);
      layer.codes13[n] = near_the_largest(layer.codes13[n], is_int8(how));
      layer.in.w13[n] = dequantised(layer.codes13[n], layer.scale13, e);
    }
    const Expected expected = experts(layer.in, how);
    for (const Device& device : right_devices()) {
      EXPECT_EQ(emulate::outside(expected, emulated(layer, how, device)), 0) << how.quant;
    }
  }
}

TEST(ChannelQuant, AMissingLimitLeavesTheRadius) {
  std::mt19937_64 random(11);
  for (ExpertArithmetic how : all_arithmetic()) {
    how.activation = all_activations()[2];
    const Quantised layer = make_layer(how, WeightOn::kOutput, random);
    Device device;
    device.no_limit = true;
    const Expected expected = experts(layer.in, how);
    EXPECT_EQ(emulate::outside(expected, emulated(layer, how, {})), 0);
    EXPECT_GT(emulate::outside(expected, emulated(layer, how, device)), layer.in.h) << how.quant;
  }
}

TEST(ChannelQuant, TheRadiusStaysFarBelowTheValues) {
  for_each_layer([](const Quantised& layer, const ExpertArithmetic& how) {
    const Expected expected = experts(layer.in, how);
    double squares = 0;
    for (const double value : expected.value) squares += value * value;
    const double rms = std::sqrt(squares / static_cast<double>(expected.value.size()));
    const auto wide = std::count_if(expected.radius.begin(), expected.radius.end(),
                                    [&](double radius) { return !(radius <= rms / 4); });
    EXPECT_EQ(wide, 0) << how.quant;
  });
}

}  // namespace
}  // namespace plumbline::bounds
