#pragma once
#include <string>

#include "device/abi/implementation.h"

/// A manifest as one line of JSON, as children hand it to their parent.
namespace plumbline::run {

std::string to_json(const Manifest& manifest);
/// to_json's inverse. Throws BadInput naming `source`.
Manifest manifest_from_json(const std::string& text, const std::string& source);

}  // namespace plumbline::run
