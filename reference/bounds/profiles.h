#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "reference/spec/format.h"
#include "reference/spec/profile.h"

namespace plumbline::bounds {

/// What a named device is known to promise. Every row was measured on outputs of that device.
struct ProfileRow {
  std::string_view kind;    ///< metadata `kind` of a case file: "gemm", "attention", "moe"
  DType input;              ///< dtype of the first input tensor (a, q, x); of the codes that a
                            ///< quantised layer's products read
  std::string_view device;  ///< NAME of device.NAME
  Profile profile;
  std::string_view note;  ///< why, for the report; starts with "interim" where it is only measured
};

std::span<const ProfileRow> profile_table();

/// Profiles to try for device.NAME, tightest first: the rows of the table that fit; for a name that
/// is not in it every profile of that kind and input type. The caller reports which one accepted
/// (its `name`). Empty where nothing is known of that kind and type.
std::vector<Profile> candidate_profiles(std::string_view kind, DType input,
                                        std::string_view device);

}  // namespace plumbline::bounds
