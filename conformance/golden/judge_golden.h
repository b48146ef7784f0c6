#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/golden/case_file.h"
#include "conformance/golden/check.h"
#include "conformance/golden/kinds.h"
#include "reference/bounds/expected.h"
#include "reference/ops/matrix.h"

/// Steps that the kinds of case files share. Not part of the folder's interface.
namespace plumbline::golden {

using Findings = std::vector<Finding>;

/// One function a kind: everything in the file that can be judged.
Findings check_moe(const CaseFile& file, const std::optional<Profile>& profile);
Findings check_attention(const CaseFile& file, const std::optional<Profile>& profile);
Findings check_gemm(const CaseFile& file, const std::optional<Profile>& profile);
/// One finding a format and direction. Throws BadInput where the JSON is of another kind.
Findings check_formats(std::string_view text, std::string_view file);

/// A tensor `expected.*` (the truth) against the reference's values, each to within `limit` of its
/// element. Lane "golden".
Finding against_golden(const CaseFile& file, const std::string& name,
                       const std::vector<double>& reference, std::vector<double> limits);

/// What a device may have returned, as a function of its profile.
using Evaluate = std::function<Expected(const Profile&)>;

/// A tensor device.NAME and what it must be.
struct DeviceResult {
  std::string name;
  DType input;        ///< of the inputs, as the table of profiles is keyed
  TensorSpec output;  ///< type and shape
};

/// One device's result under the profiles that it may be judged under: the first that accepts
/// decides, and is named; where none does, the judgement is that of the profile it came closest
/// under. Throws BadInput where the tensor has another type or shape.
Finding against_profiles(const CaseFile& file, const DeviceResult& device,
                         const std::optional<Profile>& profile, const Evaluate& evaluate);

/// The profiles that device.NAME may be judged under: `profile`, else the file's own, else those of
/// the written table for inputs of this type.
std::vector<Profile> profiles_for(const CaseFile& file, const std::string& name, DType input,
                                  const std::optional<Profile>& profile);

/// Whether a judgement speaks for the device: exit status 0.
bool accepted(const judge::Judgement& judgement);

/// Throws BadInput where the tensor has another type or shape.
void check_spec(const CaseFile& file, const std::string& tensor, const TensorSpec& wanted);

/// The io type of a device's result: the type of its tensor where all inputs named are exact in it.
/// Throws BadInput otherwise: then the device cannot have read these inputs.
DType device_io(const CaseFile& file, const std::string& device,
                const std::vector<std::string>& inputs);

/// A finding without numbers.
Finding not_offered(const std::string& thing, const std::string& reason);

}  // namespace plumbline::golden
