#include "reference/contract/runner_table.h"

#include <gtest/gtest.h>

#include <string>

#include "reference/spec/identity.h"
#include "reference/spec/status.h"

namespace plumbline::contract {
namespace {

constexpr std::string_view kHeader = "quant,backend,constructs,evidence,status\n";

std::string complaint(const std::string& rows, std::string_view header = kHeader) {
  try {
    parse_runner_table(std::string(header) + rows, "table.csv");
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(RunnerTable, SaysForEachMethodAndBackendWhatCreateRunnerDoes) {
  for (const std::string_view quant : {"bf16", "fp8_block128", "w8a8_int8", "w8a8_fp8_channel"}) {
    for (const TaggedValue& backend : find_tagged_type("runner_backend")->values) {
      EXPECT_NE(find_runner_row(quant, backend.name), nullptr) << quant << " " << backend.name;
    }
  }
  EXPECT_EQ(find_runner_row("fp8_block128", "hpc_ops")->constructs, Constructs::kYes);
  EXPECT_EQ(find_runner_row("fp8_block128", "marlin")->constructs, Constructs::kNo);
  EXPECT_EQ(find_runner_row("w8a8_int8", "marlin")->constructs, Constructs::kRefused);
  EXPECT_EQ(find_runner_row("fp8_block128", "flashinfer"), nullptr);
}

TEST(RunnerTable, NamesLineAndRuleOfWhatIsMalformed) {
  EXPECT_EQ(complaint("bf16,triton,yes,known,read\n"), "");
  EXPECT_NE(complaint("bf16,triton,perhaps,known,read\n").find("line 2"), std::string::npos);
  EXPECT_NE(complaint("bf17,triton,yes,known,read\n").find("bf17"), std::string::npos);
  EXPECT_NE(complaint("bf16,trtion,yes,known,read\n").find("trtion"), std::string::npos);
  EXPECT_NE(complaint("bf16,triton,yes,known,heard\n").find("heard"), std::string::npos);
  EXPECT_NE(complaint("bf16,triton,yes,a,read\nbf16,triton,no,a,read\n").find("line 3"),
            std::string::npos);
  EXPECT_NE(complaint("bf16,triton,yes\n"), "");
  EXPECT_NE(complaint("", "quant,backend\n"), "");
}

}  // namespace
}  // namespace plumbline::contract
