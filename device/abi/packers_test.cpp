#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "device/abi/samples.h"

namespace plumbline::device {
namespace {

using test::Layer;

ExpertsProblem problem_of(const std::string& backend, const std::string& quant,
                          const std::string& activation, const std::string& pack = "plain") {
  ExpertsProblem p;
  p.backend = backend;
  p.quant = quant;
  p.activation = *Activation::from(activation);
  p.pack = pack;
  p.t = 1;
  p.h = quant == "w8a8_int8" ? 131 : 160;
  p.i = quant == "w8a8_int8" ? 70 : 80;
  p.e = 3;
  p.k = 1;
  if (quant == "fp8_block128") {
    p.h = 200;
    p.i = 256;
  }
  return p;
}

/// The weights of a layer alone, as packers take them.
TensorViews weights_in(Layer& layer) {
  TensorViews views = test::views_of(layer.inputs);
  for (const char* name : {"x", "topk_ids", "topk_weights"}) views.erase(name);
  return views;
}

QuantRecord packed(Layer& layer) {
  const auto record = make_embedded({})->pack(layer.problem.to_problem(), weights_in(layer));
  if (!record) {
    ADD_FAILURE() << record.refusal().text();
    return {};
  }
  return *record;
}

/// Elements from 1 upwards, in the order of the plain tensor; 0 is padding.
using Numbers = std::vector<std::int64_t>;

/// Packs codes that spell each element's number + 1 in base 256, a digit a time; what comes back
/// is the element that lies at each place of the packed tensor.
Numbers elements_in(const ExpertsProblem& p, const std::string& name) {
  Layer layer = test::layer_of(p);
  Numbers elements;
  for (const int shift : {0, 8, 16}) {
    std::vector<std::byte>& codes = layer.inputs.at(name).data;
    for (std::size_t c = 0; c < codes.size(); ++c) {
      codes[c] = static_cast<std::byte>(((c + 1) >> shift) & 0xff);
    }
    const QuantRecord record = packed(layer);
    const std::vector<std::byte>& places = record.tensors.at(name).data;
    elements.resize(places.size());
    for (std::size_t at = 0; at < places.size(); ++at) {
      elements[at] += std::to_integer<std::int64_t>(places[at]) << shift;
    }
  }
  return elements;
}

/// The same of a tensor of scales, whose elements hold their numbers.
Numbers scales_in(const ExpertsProblem& p, const std::string& name) {
  Layer layer = test::layer_of(p);
  float number = 0.0F;
  for (float& scale : layer.inputs.at(name).as<float>()) scale = ++number;
  const QuantRecord record = packed(layer);
  Numbers elements;
  for (const float scale : record.tensors.at(name).as<float>()) {
    elements.push_back(static_cast<std::int64_t>(scale));
  }
  return elements;
}

/// Every element of the plain tensor at one place, padding elsewhere.
void expect_each_once(const Numbers& elements, std::int64_t count) {
  std::set<std::int64_t> seen;
  for (const std::int64_t element : elements) {
    if (element == 0) continue;
    EXPECT_TRUE(seen.insert(element).second) << element << " lies in two places";
  }
  EXPECT_EQ(std::ssize(seen), count);
  EXPECT_TRUE(!seen.empty() && *seen.begin() == 1 && *seen.rbegin() == count);
}

/// The first place that differs, so that a wrong packer does not print a whole tensor.
void expect_places(const Numbers& got, const Numbers& wanted) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t at = 0; at < got.size(); ++at) {
    ASSERT_EQ(got[at], wanted[at]) << "at place " << at;
  }
}

/// Row and k of a byte of a panel, read off layout.md.
struct Place {
  std::int64_t row;
  std::int64_t k;
};
using Panel = Place (*)(std::int64_t byte);

Place in_columns(std::int64_t byte) { return {byte % 16, byte / 16}; }
Place in_pairs(std::int64_t byte) { return {byte % 32 / 2, byte / 32 * 2 + byte % 2}; }
Place in_tiles(std::int64_t byte) { return {byte % 512 / 32, byte / 512 * 32 + byte % 32}; }

struct Lightop {
  const char* quant;
  const char* pack;
  const char* activation;
  Panel panel;
  std::int64_t step;  ///< k is padded to a multiple of it
};

class LightopPacker : public testing::TestWithParam<Lightop> {
 protected:
  ExpertsProblem problem() const {
    const Lightop& l = GetParam();
    return problem_of("lightop", l.quant, l.activation, l.pack);
  }
};

/// Plain row at a row of the panels; −1: padding.
std::int64_t plain_row(std::int64_t row, std::int64_t rows, bool halves) {
  const std::int64_t panel = row / 16;
  if (!halves) return row < rows ? row : -1;
  const std::int64_t half = rows / 2;
  const std::int64_t in_half = panel / 2 * 16 + row % 16;
  return in_half < half ? panel % 2 * half + in_half : -1;
}

std::int64_t rows_of_panels(std::int64_t rows, bool halves) {
  const std::int64_t half = halves ? rows / 2 : rows;
  return (half + 15) / 16 * 16 * (halves ? 2 : 1);
}

Numbers wanted_codes(const ExpertsProblem& p, bool is_w13, const Lightop& l) {
  const std::int64_t rows = is_w13 ? p.w13_rows() : p.h;
  const std::int64_t ks = is_w13 ? p.h : p.i;
  const std::int64_t depth = (ks + l.step - 1) / l.step * l.step;
  const bool halves = is_w13 && p.activation.gated();
  const std::int64_t panels = rows_of_panels(rows, halves) / 16;
  Numbers wanted;
  for (std::int64_t panel = 0; panel < p.e * panels; ++panel) {
    for (std::int64_t byte = 0; byte < depth * 16; ++byte) {
      const Place place = l.panel(byte);
      const std::int64_t row = plain_row(panel % panels * 16 + place.row, rows, halves);
      const bool padding = row < 0 || place.k >= ks;
      wanted.push_back(padding ? 0 : (panel / panels * rows + row) * ks + place.k + 1);
    }
  }
  return wanted;
}

Numbers wanted_scales(std::int64_t experts, std::int64_t rows, bool halves) {
  const std::int64_t all = rows_of_panels(rows, halves);
  Numbers wanted;
  for (std::int64_t row = 0; row < experts * all; ++row) {
    const std::int64_t plain = plain_row(row % all, rows, halves);
    wanted.push_back(plain < 0 ? 0 : row / all * rows + plain + 1);
  }
  return wanted;
}

TEST_P(LightopPacker, PutsEveryCodeWhereTheLayoutDrawsItAndZeroElsewhere) {
  const ExpertsProblem p = problem();
  const Numbers w13 = elements_in(p, "w13");
  expect_each_once(w13, p.e * p.w13_rows() * p.h);
  expect_places(w13, wanted_codes(p, true, GetParam()));
  const Numbers w2 = elements_in(p, "w2");
  expect_each_once(w2, p.e * p.h * p.i);
  expect_places(w2, wanted_codes(p, false, GetParam()));
}

TEST_P(LightopPacker, PutsScalesInTheOrderOfThePanels) {
  const ExpertsProblem p = problem();
  for (const bool is_w13 : {true, false}) {
    const std::int64_t rows = is_w13 ? p.w13_rows() : p.h;
    const bool halves = is_w13 && p.activation.gated();
    const Numbers scales = scales_in(p, is_w13 ? "w13_scale" : "w2_scale");
    expect_each_once(scales, p.e * rows);
    expect_places(scales, wanted_scales(p.e, rows, halves));
  }
}

TEST_P(LightopPacker, RecordsModeAndOriginalShapes) {
  const ExpertsProblem p = problem();
  Layer layer = test::layer_of(p);
  const QuantRecord record = packed(layer);
  const bool int8 = p.quant == "w8a8_int8";
  EXPECT_EQ(record.tag, "lightop");
  const decltype(record.numbers) wanted = {{"use_int8_w8a8", int8 ? 1 : 0},
                                           {"use_fp8_w8a8", int8 ? 0 : 1},
                                           {"kpack", p.pack == "kpack2" ? 2 : 1},
                                           {"w13_rows", p.w13_rows()},
                                           {"w13_k", p.h},
                                           {"w2_rows", p.h},
                                           {"w2_k", p.i},
                                           {"experts", p.e}};
  EXPECT_EQ(record.numbers, wanted);
  EXPECT_EQ(record.tensors.size(), 4U);
}

INSTANTIATE_TEST_SUITE_P(EveryLayout, LightopPacker,
                         testing::Values(Lightop{"w8a8_int8", "plain", "silu", in_columns, 64},
                                         Lightop{"w8a8_int8", "plain", "relu2", in_columns, 64},
                                         Lightop{"w8a8_int8", "kpack2", "silu", in_pairs, 64},
                                         Lightop{"w8a8_int8", "kpack2", "relu2", in_pairs, 64},
                                         Lightop{"w8a8_fp8_channel", "plain", "silu", in_tiles, 32},
                                         Lightop{"w8a8_fp8_channel", "plain", "relu2", in_tiles,
                                                 32}),
                         [](const auto& info) {
                           return std::string(info.param.quant) + "_" + info.param.pack + "_" +
                                  info.param.activation;
                         });

/// Numbers of a tensor [e, rows, columns] with the halves of each expert's rows exchanged.
Numbers halves_exchanged(std::int64_t experts, std::int64_t rows, std::int64_t columns) {
  Numbers wanted;
  for (std::int64_t row = 0; row < experts * rows; ++row) {
    const std::int64_t other = row % rows < rows / 2 ? row + rows / 2 : row - rows / 2;
    for (std::int64_t c = 0; c < columns; ++c) wanted.push_back(other * columns + c + 1);
  }
  return wanted;
}

Numbers in_order(std::int64_t count) {
  Numbers wanted;
  for (std::int64_t c = 1; c <= count; ++c) wanted.push_back(c);
  return wanted;
}

TEST(TrtllmPacker, PutsUpRowsAndTheirScalesBeforeThoseOfGate) {
  const ExpertsProblem p = problem_of("flashinfer_trtllm_routed", "fp8_block128", "silu");
  expect_places(elements_in(p, "w13"), halves_exchanged(p.e, 2 * p.i, p.h));
  expect_places(scales_in(p, "w13_scale"), halves_exchanged(p.e, 4, 2));
  expect_places(elements_in(p, "w2"), in_order(p.e * p.h * p.i));
  expect_places(scales_in(p, "w2_scale"), in_order(p.e * 2 * 2));
}

TEST(TrtllmPacker, WritesOneParameterAnExpertAndNoneThatTheActivationLeavesOut) {
  const auto parameters = [](const char* activation) {
    Layer layer =
        test::layer_of(problem_of("flashinfer_trtllm_routed", "fp8_block128", activation));
    QuantRecord record = packed(layer);
    EXPECT_TRUE(record.numbers.empty());
    std::erase_if(record.tensors,
                  [](const auto& named) { return !named.first.starts_with("gemm1_"); });
    return record.tensors;
  };
  EXPECT_EQ(parameters("silu"), Tensors{});
  Tensors wanted = {{"gemm1_alpha", test::f32_tensor({3}, {1.702F})},
                    {"gemm1_beta", test::f32_tensor({3}, {1})}};
  EXPECT_EQ(parameters("swiglu:1.702:1:none"), wanted);
  wanted["gemm1_clamp_limit"] = test::f32_tensor({3}, {7});
  EXPECT_EQ(parameters("swiglu:1.702:1:7"), wanted);
}

TEST(TrtllmPacker, RefusesWeightsWithoutGate) {
  Layer layer = test::layer_of(problem_of("flashinfer_trtllm_routed", "fp8_block128", "relu2"));
  const auto record = make_embedded({})->pack(layer.problem.to_problem(), weights_in(layer));
  ASSERT_FALSE(record);
  EXPECT_EQ(record.refusal().status, Status::kUnsupported);
}

TEST(TritonPacker, LeavesTheWeightsAsTheyAre) {
  for (const char* quant : {"bf16", "fp8_block128", "w8a8_int8", "w8a8_fp8_channel"}) {
    Layer layer = test::layer_of(problem_of("triton", quant, "silu"));
    const QuantRecord record = packed(layer);
    EXPECT_EQ(record.tag, "triton");
    EXPECT_TRUE(record.numbers.empty());
    Tensors weights = layer.inputs;
    for (const char* name : {"x", "topk_ids", "topk_weights"}) weights.erase(name);
    EXPECT_EQ(record.tensors, weights) << quant;
  }
}

}  // namespace
}  // namespace plumbline::device
