#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/spec/problem.h"
#include "reference/spec/profile.h"
#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

namespace plumbline {

/// One path that an implementation offers: a pattern over problems and the arithmetic it promises
/// there.
struct OfferedPath {
  std::string name;  ///< "triton/bf16"
  std::string op;    ///< "moe.experts"
  /// Axis → words taken; "swiglu:*" takes every word that starts so.
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  Profile profile;
};

/// What an implementation says of itself. Nothing in it is believed without a case.
struct Manifest {
  std::string name;
  std::string version;
  std::string device;  ///< "CPU, host runtime" or the name of the card
  std::string target;  ///< host, amd or nvidia
  int wave = 64;
  bool classified_errors = true;
  std::vector<OfferedPath> paths;

  /// The path that claims the problem, or null: not offered.
  const OfferedPath* path_for(const Problem& problem) const;
};

/// The answer to one call.
struct Answer {
  Status status = Status::kOk;
  std::string message;  ///< rule, field, value and what is allowed, where status is not kOk
  std::string path;     ///< the path that really ran
  Tensors returned;     ///< outputs that the implementation allocated itself (out absent)
  std::vector<std::string> wrote_in_place;  ///< outputs whose caller's buffer is the result
};

/// The thing under test. The embedded one lives in device/; the C ABI will mirror these calls.
/// `run` may be called from several threads at once, each with buffers of its own.
class Implementation {
 public:
  virtual ~Implementation() = default;
  virtual const Manifest& manifest() const = 0;
  /// Validates without running: nullopt if `run` would accept the problem and these arguments.
  virtual std::optional<Refusal> refuses(const Problem& problem, const TensorViews& inputs) = 0;
  /// Reads `inputs`, writes `outputs` (host memory, row-major unless tagged). An output that is
  /// not in `outputs` is returned as a tensor of its own. A refusal leaves every output untouched.
  virtual Answer run(const Problem& problem, const TensorViews& inputs,
                     const TensorViews& outputs) = 0;
};

/// How to build the embedded implementation.
struct EmbeddedOptions {
  int wave = 64;      ///< 64 or 32 lanes a wave
  std::string fault;  ///< name of a planted fault; empty: the correct kernels
};

/// The embedded implementation on the host target. Throws BadInput for an unknown fault or wave.
std::unique_ptr<Implementation> make_embedded(const EmbeddedOptions& options);

/// A planted fault: the embedded implementation with one mistake.
struct FaultInfo {
  std::string_view name;           ///< "drop_last_k"
  std::string_view fault_class;    ///< class of the public catalogue: "F03"
  std::string_view mistake;        ///< one sentence: what is wrong
  std::string_view expected_lane;  ///< the lane or rule that must kill it
  std::string_view pattern;        ///< cases it can show on: a filter over case ids
};
std::vector<FaultInfo> all_faults();

}  // namespace plumbline
