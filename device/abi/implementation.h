#pragma once
#include <cstdint>
#include <functional>
#include <map>
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
  /// Predicates over the dimensions, all of which hold where the path runs: "h % 32 == 0"
  /// (constraint.h). A problem that breaks one must be refused with class shape.
  std::vector<std::string> constraints;
  /// What sets this path apart: weight_order → gate_up, packer → lightop_panel16, …
  std::vector<std::pair<std::string, std::string>> traits;

  /// The first constraint that the problem breaks; empty: all hold.
  std::string broken_constraint(const Problem& problem) const;
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

  /// The first path whose axes claim the problem and whose constraints hold, else the first whose
  /// axes claim it (it must then refuse); null: not offered.
  const OfferedPath* path_for(const Problem& problem) const;
};

/// What a runner takes in place of plain weights, under a tag that says which runner's it is:
/// packed weights and scales by field name, and its flags and original shapes as numbers. A runner
/// refuses a tag that is not its own before it reads any field.
struct QuantRecord {
  std::string tag;  ///< "triton", "lightop", …
  Tensors tensors;
  std::map<std::string, std::int64_t, std::less<>> numbers;
};

/// The answer to one call.
struct Answer {
  Status status = Status::kOk;
  std::string message;  ///< rule, field, value and what is allowed, where status is not kOk
  std::string path;     ///< the path that really ran
  Tensors returned;     ///< outputs that the implementation allocated itself (out absent)
  std::vector<std::string> wrote_in_place;  ///< outputs whose caller's buffer is the result
};

/// What can be seen of a quant method and its layer from outside.
struct MethodState {
  bool owns_runner = false;
  std::string runner_backend;  ///< empty: there is no runner
  Tensors layer;               ///< every tensor on the layer, by name
};

/// One quant method with its layer: the calls an engine makes while it loads a model, in any order.
/// A call that the contract does not allow now is refused and changes nothing, but for
/// `create_runner`, which clears ownership first.
class Method {
 public:
  virtual ~Method() = default;
  /// Makes the layer's empty parameters for the sizes of `layer` (dims t and k are not read).
  virtual Answer create_weights(const Problem& layer) = 0;
  /// Takes a checkpoint's tensor: w1, w3 (gate and up, [i, h]) or w2 ([h, i]) of one expert, or
  /// w13, w2 of all with expert = −1; scales as NAME_scale. bf16 where the checkpoint is not
  /// quantised: quantised when all of a weight is there.
  virtual Answer load(std::string_view name, std::int64_t expert, const TensorView& tensor) = 0;
  /// Clears ownership, then constructs the runner of the backend that the switch names now, if
  /// this method has one for it.
  virtual Answer create_runner(const Problem& layer) = 0;
  /// Packs the loaded weights for the backend that the switch names now.
  virtual Answer process_weights() = 0;
  /// Runs the layer: inputs x, topk_ids, topk_weights.
  virtual Answer apply(const Problem& layer, const TensorViews& inputs,
                       const TensorViews& outputs) = 0;
  virtual MethodState query() const = 0;
};

/// The answer that refuses.
Answer refused(const Refusal& refusal);

/// Sees an intermediate result as soon as it is there: its name and host memory that is valid
/// during the call. Called in the order of the computation by the thread that runs the layer.
using Observer = std::function<void(std::string_view name, const TensorView& intermediate)>;

/// The thing under test: the embedded one in device/, or a library behind the C ABI (library.h).
/// `run` may be called from several threads at once, each with buffers of its own. Calls beyond
/// those that every implementation has answer `unsupported` unless overridden.
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

  /// As `run`, and shows its intermediates where the implementation has any to show. Names and
  /// shapes belong to the path: device/moe/path.h.
  virtual Answer run_observed(const Problem& problem, const TensorViews& inputs,
                              const TensorViews& outputs, const Observer& observer);

  /// Packs the plain weights of an expert layer (those of `run`) for the problem's path.
  virtual Result<QuantRecord> pack(const Problem& problem, const TensorViews& weights);
  /// As `run` for `moe.experts`, with a record in place of weights and scales. Refuses another
  /// path's tag (unsupported), then fields that are missing, unexpected or do not fit.
  virtual Answer run_packed(const Problem& problem, const QuantRecord& record,
                            const TensorViews& inputs, const TensorViews& outputs);

  /// A quant method ("fp8_block128") held by `holder` (reference/spec/ids.h); null: not offered.
  virtual std::unique_ptr<Method> make_method(std::string_view quant, std::string_view holder);
  /// Process-wide switches: runner_backend, int4_on_hip, lightop_library.
  virtual Result<std::string> get_switch(std::string_view name);
  virtual std::optional<Refusal> set_switch(std::string_view name, std::string_view value);

  /// Whether `predicate` holds of `value` of the tagged type `type` ("runner_backend",
  /// "is_lightop", "lightop"). A predicate of another type is refused (unsupported), never false.
  virtual Result<bool> ask(std::string_view type, std::string_view predicate,
                           std::string_view value);
};

/// How to build the embedded implementation.
struct EmbeddedOptions {
  int wave = 64;                ///< 64 or 32 lanes a wave; 0: as the device has
  std::string fault;            ///< name of a planted fault; empty: the correct kernels
  std::string target = "host";  ///< host, amd or nvidia: which library is loaded
};

/// The embedded implementation. Defined twice: linked in (tests, sanitizer builds; `target` is then
/// the one it was compiled for) and loaded through the C ABI (the program). Throws BadInput for an
/// unknown fault or wave, or a target that was not built or has no device.
std::unique_ptr<Implementation> make_embedded(const EmbeddedOptions& options);

/// A figure of its own speed: gemm512_seconds (a product of 512³ floats), refuses_microseconds (of
/// call_bench.h, without the C ABI), barrier_nanoseconds (a thread of a block of 256; host only).
/// Negative: not known.
double embedded_bench(const char* name);

/// A planted fault: the embedded implementation with one mistake.
struct FaultInfo {
  std::string_view name;           ///< "drop_last_k"
  std::string_view fault_class;    ///< class of the public catalogue: "F03"
  std::string_view mistake;        ///< one sentence: what is wrong
  std::string_view expected_lane;  ///< the lane or rule that must kill it
  std::string_view pattern;        ///< cases it can show on: a filter over case ids
  int wave = 0;                    ///< lanes of a wave that it shows with; 0: any
};
std::vector<FaultInfo> all_faults();

}  // namespace plumbline
