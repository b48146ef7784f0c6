#include "conformance/golden/judge_golden.h"

#include "conformance/golden/profile_json.h"
#include "reference/bounds/profiles.h"
#include "reference/formats/codec.h"
#include "reference/spec/status.h"

namespace plumbline::golden {
namespace {

/// The profile that the file itself states for a device: metadata `profile`, {NAME: profile}.
std::optional<Profile> stated_profile(const CaseFile& file, const std::string& name) {
  const std::optional<nlohmann::json> stated = file.json("profile");
  if (!stated) return std::nullopt;
  if (!stated->is_object()) file.refuse_key("profile", "must be a JSON object: device to profile");
  const auto it = stated->find(name);
  if (it == stated->end()) return std::nullopt;
  return profile_from_json(*it, file.file, "metadata profile." + name);
}

/// Measured, not derived: a radius that is too wide to say much is the profile's fault and no
/// reason to call the device's result into question. The line says so until the adder is probed.
bool interim(const Profile& profile) {
  return profile.accumulator == Accumulator::kHopperFp8Precise ||
         profile.accumulator == Accumulator::kHopperFp8Fast;
}

Finding judge_under(const std::string& thing, const Profile& profile, const Expected& expected,
                    const Tensor& got) {
  Finding finding{thing, judge::numeric("out", expected, got), profile.name};
  judge::Judgement& judged = finding.judgement;
  if (!interim(profile)) return finding;
  if (judged.verdict == Verdict::kUntrusted) {
    judged.verdict = Verdict::kPass;
    judged.reason = "within the radius, but " + judged.reason;
  }
  judged.reason += "; the profile is interim: measured, not derived";
  return finding;
}

}  // namespace

std::vector<Profile> profiles_for(const CaseFile& file, const std::string& name, DType input,
                                  const std::optional<Profile>& profile) {
  if (profile) return {*profile};
  if (const std::optional<Profile> stated = stated_profile(file, name)) return {*stated};
  std::vector<Profile> known =
      bounds::candidate_profiles(file.text("kind").value_or(""), input, name);
  if (known.empty()) known.emplace_back();
  return known;
}

bool accepted(const judge::Judgement& judgement) { return info_of(judgement.verdict).exit == 0; }

void check_spec(const CaseFile& file, const std::string& thing, const TensorSpec& wanted) {
  const TensorSpec& spec = file.find(thing)->spec;
  if (spec.shape != wanted.shape) {
    file.refuse_tensor(thing, "has shape " + text_of(spec.shape) + ", the inputs ask for " +
                                  text_of(wanted.shape));
  }
  if (spec.dtype != wanted.dtype) {
    file.refuse_tensor(thing, "is " + spec.text() + ", the metadata ask for " +
                                  std::string(name_of(wanted.dtype)));
  }
}

Finding against_golden(const CaseFile& file, const std::string& name,
                       const std::vector<double>& reference, std::vector<double> limits) {
  const Tensor& golden = *file.find(name);
  if (golden.spec.dtype != DType::kF64) {
    file.refuse_tensor(name, "must be float64, not " + golden.spec.text());
  }
  Expected expected{DType::kF64, golden.spec.shape, formats::decode(golden), std::move(limits)};
  const Tensor got = formats::encode(golden.spec, reference);
  const std::string output = name.substr(name.find('.') + 1);
  Finding finding{name, judge::numeric(output, expected, got), ""};
  finding.judgement.lane = "golden";
  return finding;
}

Finding against_profiles(const CaseFile& file, const DeviceResult& device,
                         const std::optional<Profile>& profile, const Evaluate& evaluate) {
  const std::string thing = "device." + device.name;
  check_spec(file, thing, device.output);
  const Tensor& got = *file.find(thing);
  const std::vector<Profile> profiles = profiles_for(file, device.name, device.input, profile);
  Finding closest;
  for (const Profile& candidate : profiles) {
    Finding finding = judge_under(thing, candidate, evaluate(candidate), got);
    if (accepted(finding.judgement)) return finding;
    const bool closer =
        closest.thing.empty() || finding.judgement.margin < closest.judgement.margin;
    if (closer) closest = std::move(finding);
  }
  if (profiles.size() > 1) {
    closest.judgement.reason += "; none of " + std::to_string(profiles.size()) +
                                " profiles accepts it, this one comes closest";
  }
  return closest;
}

DType device_io(const CaseFile& file, const std::string& device,
                const std::vector<std::string>& inputs) {
  const std::string thing = "device." + device;
  const DType io = file.find(thing)->spec.dtype;
  if (!format_of(io).is_float()) file.refuse_tensor(thing, "must be a float");
  for (const std::string& name : inputs) {
    const Tensor* tensor = file.find(name);
    if (tensor == nullptr || tensor->spec.dtype == io) continue;
    for (const double value : formats::decode(*tensor)) {
      if (formats::round_to(io, value) == value || value != value) continue;
      file.refuse_tensor(thing, "is " + std::string(name_of(io)) + ", but " + name +
                                    " is not exact in it: store the inputs that the device read");
    }
  }
  return io;
}

Finding not_offered(const std::string& thing, const std::string& reason) {
  return {thing, judge::verdict(Verdict::kNotOffered, "", reason), ""};
}

}  // namespace plumbline::golden
