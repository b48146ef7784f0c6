#pragma once
#include <string>

#include "device/abi/implementation.h"
#include "device/abi/plumbline.h"

/// Loading a library and reading what it says of itself. For library.cpp alone.
namespace plumbline::abi {

/// The table of a library, checked: version, size and required functions. Functions beyond the
/// size that the library was compiled with are null. Throws BadInput.
plumbline_interface load_interface(const std::string& file);

/// The manifest as the suite's own type, checked. Throws BadInput.
Manifest manifest_of(const std::string& file, const plumbline_manifest* manifest);

}  // namespace plumbline::abi
