#include "conformance/inputs/inputs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <set>

#include "conformance/inputs/shapes.h"
#include "reference/formats/codec.h"
#include "reference/formats/quant_tensors.h"
#include "reference/spec/status.h"

namespace plumbline::inputs {
namespace {

std::uint64_t hash_bytes(std::uint64_t hash, std::uint64_t value, int bytes) {
  for (int n = 0; n < bytes; ++n) hash = (hash ^ (value >> (8 * n) & 0xFFU)) * 0x100000001B3U;
  return hash;
}

/// The sum of one line of checksums.txt, as generator.py describes it.
std::uint64_t checksum(const Distribution& distribution, std::uint64_t seed, Side side,
                       std::int64_t rows, std::int64_t width) {
  const Stream stream(seed, "x");
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < width; ++column) {
      const Dyadic number = distribution.element(stream, {row, column, width, side});
      hash = hash_bytes(hash, static_cast<std::uint64_t>(number.m), 8);
      hash = hash_bytes(hash, static_cast<std::uint32_t>(number.exponent), 4);
    }
  }
  return hash;
}

Case case_of(std::string_view problem, std::string_view data, std::uint64_t seed) {
  return parse_case(std::string(problem) + "/data=" + std::string(data) +
                    "/seed=" + std::to_string(seed));
}

constexpr std::string_view kExperts = "moe.experts/quant=bf16,bias=yes/t=33,h=40,i=24,e=8,k=3,z=2";
constexpr std::string_view kBlocked = "moe.experts/quant=fp8_block128/t=5,h=130,i=72,e=4,k=2";
constexpr std::string_view kPrefill =
    "attention.prefill/lens=with_empty,sinks=yes/b=5,hq=4,hkv=2,d=32,sq=9,sk=7";
constexpr std::string_view kDecode =
    "attention.decode/lens=ragged/b=5,hq=4,hkv=2,d=32,sk=50,page=16";
constexpr std::string_view kRoute = "moe.route/bias=yes,logits=bf16/t=33,e=16,k=4";
constexpr std::array kProblems = {kExperts, kBlocked, kPrefill, kDecode, kRoute};

TEST(Generator, AgreesWithTheChecksumsOfItsTwin) {
  std::ifstream file(PLUMBLINE_SOURCE_DIR "/conformance/inputs/checksums.txt");
  std::string name, side, sum;
  std::uint64_t seed = 0;
  std::int64_t rows = 0, width = 0;
  std::set<std::string> seen;
  while (file >> name >> seed >> side >> rows >> width >> sum) {
    const Distribution* distribution = find_distribution(name);
    ASSERT_NE(distribution, nullptr) << name;
    const Side role = side == "weight" ? Side::kWeight : Side::kActivation;
    EXPECT_EQ(checksum(*distribution, seed, role, rows, width), std::stoull(sum, nullptr, 16))
        << name << " " << seed << " " << side << " " << rows << " " << width;
    seen.insert(name);
  }
  EXPECT_EQ(seen.size(), distributions().size());
}

RC_GTEST_PROP(Generator, StaysBelowTheCount, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto n = *rc::gen::arbitrary<std::uint64_t>();
  const auto count = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 32);
  RC_ASSERT(Stream(seed, "x").below(n, count) < count);
}

TEST(Generator, DependsOnSeedNameAndCounter) {
  const std::set<std::uint64_t> words = {
      Stream(0, "x").word(0),   Stream(0, "x").word(1), Stream(1, "x").word(0),
      Stream(0, "w13").word(0), Stream(0, "").word(0),
  };
  EXPECT_EQ(words.size(), 5U);
}

TEST(Distributions, HaveAboutUnitVarianceAndNoMean) {
  for (const std::string_view name : {"gaussian", "cancelling", "sorted", "exact_integers"}) {
    const Stream stream(7, "x");
    constexpr std::int64_t kRows = 200, kWidth = 100;
    double sum = 0, squares = 0;
    for (std::int64_t n = 0; n < kRows * kWidth; ++n) {
      const double value =
          find_distribution(name)
              ->element(stream, {n / kWidth, n % kWidth, kWidth, Side::kActivation})
              .value();
      sum += value;
      squares += value * value;
    }
    const double variance = squares / (kRows * kWidth);
    EXPECT_NEAR(sum / (kRows * kWidth), 0.0, 0.05) << name;
    EXPECT_GT(variance, 0.7) << name;
    EXPECT_LT(variance, 1.5) << name;
  }
}

RC_GTEST_PROP(Cancelling, PairsOfAProductAlmostVanish, ()) {
  const Stream stream(*rc::gen::arbitrary<std::uint64_t>(), "x");
  const auto pair = *rc::gen::inRange<std::int64_t>(0, 50);
  const auto at = [&](std::int64_t column, Side side) {
    return cancelling(stream, {3, column, 100, side}).value();
  };
  const double w0 = at(2 * pair, Side::kWeight), w1 = at(2 * pair + 1, Side::kWeight);
  const double x0 = at(2 * pair, Side::kActivation), x1 = at(2 * pair + 1, Side::kActivation);
  RC_ASSERT(w0 == w1);
  RC_ASSERT(std::abs(x0 + x1) * 8 <= std::abs(x0));
}

TEST(Inputs, ArePureInTheCaseAndIndependentOfOrder) {
  std::vector<Tensors> forward, backward;
  for (const auto problem : kProblems) forward.push_back(make(case_of(problem, "gaussian", 4)));
  for (auto it = kProblems.rbegin(); it != kProblems.rend(); ++it) {
    backward.push_back(make(case_of(*it, "gaussian", 4)));
  }
  std::reverse(backward.begin(), backward.end());
  EXPECT_EQ(forward, backward);
}

TEST(Inputs, DifferByDistributionAndSeed) {
  for (const auto problem : kProblems) {
    std::set<std::string> seen;
    const std::string first = make(case_of(problem, "gaussian", 0)).contains("x") ? "x"
                              : make(case_of(problem, "gaussian", 0)).contains("q")
                                  ? "q"
                                  : "router_logits";
    for (const auto data : all_distributions()) {
      for (const std::uint64_t seed : {0, 1}) {
        const Tensors inputs = make(case_of(problem, data, seed));
        const auto bytes = inputs.find(first)->second.as<char>();
        seen.emplace(bytes.begin(), bytes.end());
      }
    }
    EXPECT_EQ(seen.size(), 2 * all_distributions().size()) << problem;
  }
}

TEST(Inputs, RefuseUnknownDistributionsAndGroupsThatDoNotDivide) {
  EXPECT_THROW(make(case_of(kExperts, "lognormal", 0)), BadInput);
  EXPECT_THROW(make(case_of("moe.experts/quant=w4a16/t=1,h=64,i=128", "gaussian", 0)), BadInput);
  EXPECT_THROW(make(case_of("moe.experts/quant=nvfp4/t=1,h=64,i=24", "gaussian", 0)), BadInput);
}

double rms(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(Inputs, WeightsOfEverySchemeAreReadOfOneSizeAndCentred) {
  for (const QuantScheme& scheme : all_quant_schemes()) {
    const std::string problem =
        "moe.experts/act=relu2,quant=" + std::string(scheme.name) + "/t=2,h=256,i=128,e=4,k=2";
    for (const std::string_view data : {"gaussian", "exact_integers"}) {
      const Tensors inputs = make(case_of(problem, data, 1));
      const formats::QuantForm form = formats::weight_form(scheme);
      const std::vector<double> weights = formats::dequantize(inputs, "w13", form);
      const double size = rms(weights);
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      const double wanted = data == "exact_integers" ? 1.0 : 1.0 / 16;
      EXPECT_GT(size, wanted / 8) << scheme.name << " " << data;
      EXPECT_LT(size, wanted * 8) << scheme.name << " " << data;
      EXPECT_LT(std::abs(sum), size / 8 * static_cast<double>(weights.size())) << scheme.name;
    }
  }
}

/// FNV-1a over the names and bytes of all tensors.
std::uint64_t checksum(const Tensors& tensors) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const auto& [name, tensor] : tensors) {
    for (const char c : name) hash = hash_bytes(hash, static_cast<unsigned char>(c), 1);
    for (const auto byte : tensor.as<std::uint8_t>()) hash = hash_bytes(hash, byte, 1);
  }
  return hash;
}

TEST(Inputs, KeepTheBitsThatOldIdsStandFor) {
  const auto sum = [](std::string_view quant) {
    const std::string problem = "moe.experts/quant=" + std::string(quant);
    return checksum(make(case_of(problem + "/t=3,h=130,i=72,e=3,k=2", "gaussian", 5)));
  };
  EXPECT_EQ(sum("bf16"), 0x24B9064A45947D0DU);
  EXPECT_EQ(sum("fp8_block128"), 0x98F7BC44D831F555U);
  EXPECT_EQ(sum("w8a8_int8"), 0x7A42DAF6B97DF052U);
  EXPECT_EQ(sum("w8a8_fp8_channel"), 0x04392A045DD3E506U);
}

RC_GTEST_PROP(TopkIds, AreDistinctAndInRange, ()) {
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const Tensors inputs = make(case_of(kExperts, "gaussian", seed));
  const auto ids = inputs.find("topk_ids")->second.as<std::int32_t>();
  for (std::size_t token = 0; token < 33; ++token) {
    std::set<std::int32_t> chosen;
    for (const std::int32_t id : ids.subspan(3 * token, 3)) {
      RC_ASSERT(id >= (seed % 3 == 2 ? -1 : 0) && id < 10);
      RC_ASSERT(id == -1 || chosen.insert(id).second);
    }
  }
}

TEST(TopkIds, LeaveExpertsEmptyAndSlotsOpenAsTheSeedSays) {
  const auto used = [](std::uint64_t seed) {
    const Tensors inputs =
        make(case_of("moe.experts/quant=bf16/t=200,h=8,i=8,e=8,k=2", "sorted", seed));
    const auto ids = inputs.find("topk_ids")->second.as<std::int32_t>();
    return std::set<std::int32_t>(ids.begin(), ids.end());
  };
  EXPECT_EQ(used(0).size(), 8U);
  EXPECT_EQ(used(1).size(), 6U);
  EXPECT_EQ(used(2).size(), 7U);
  EXPECT_TRUE(used(2).contains(-1));
}

TEST(PagedCache, HoldsNanExactlyWhereNobodyMayLook) {
  const Tensors inputs = make(case_of(kDecode, "gaussian", 3));
  const auto table = inputs.find("block_table")->second.as<std::int32_t>();
  const auto lengths = inputs.find("seq_lens")->second.as<std::int32_t>();
  const Tensor& cache = inputs.find("k_cache")->second;
  const std::vector<double> values = formats::decode(cache);
  constexpr std::size_t kSlot = 2 * 32, kPage = 16, kPages = 4;
  std::vector<bool> visible(values.size() / kSlot, false);
  for (std::size_t s = 0; s < lengths.size(); ++s) {
    for (std::size_t j = 0; j < static_cast<std::size_t>(lengths[s]); ++j) {
      const std::int32_t page = table[s * kPages + j / kPage];
      ASSERT_GE(page, 0);
      const std::size_t slot = static_cast<std::size_t>(page) * kPage + j % kPage;
      EXPECT_FALSE(visible[slot]) << "two keys in one slot";
      visible[slot] = true;
    }
    for (std::size_t p = (static_cast<std::size_t>(lengths[s]) + kPage - 1) / kPage; p < kPages;
         ++p) {
      EXPECT_EQ(table[s * kPages + p], -1);
    }
  }
  for (std::size_t n = 0; n < values.size(); ++n) {
    ASSERT_EQ(std::isnan(values[n]), !visible[n / kSlot]) << n;
  }
}

TEST(Prefill, HasSequencesWithoutKeysAndWithoutQueries) {
  const Tensors inputs = make(case_of(kPrefill, "gaussian", 0));
  const auto cu_q = inputs.find("cu_q")->second.as<std::int32_t>();
  const auto cu_k = inputs.find("cu_k")->second.as<std::int32_t>();
  EXPECT_EQ(cu_k[1], cu_k[0]);
  EXPECT_GT(cu_q[1], cu_q[0]);
  EXPECT_EQ(cu_q[3], cu_q[2]);
  EXPECT_EQ(inputs.find("q")->second.spec.shape[0], cu_q.back());
  EXPECT_EQ(inputs.find("v")->second.spec.shape[0], cu_k.back());
}

TEST(OutputSpecs, FollowTheProblem) {
  const Case decode = case_of(kDecode, "gaussian", 0);
  const auto specs = output_specs(decode.problem, make(decode));
  EXPECT_EQ(specs.at("out").text(), "bf16 [5, 4, 32]");
  EXPECT_EQ(specs.at("lse").text(), "f32 [4, 5]");
  const Case route = case_of(kRoute, "gaussian", 0);
  EXPECT_EQ(output_specs(route.problem, make(route)).at("topk_ids").text(), "i32 [33, 4]");
}

}  // namespace
}  // namespace plumbline::inputs
