#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace plumbline::golden {

/// SHA-256 as 64 lower-case hex digits. Source: FIPS 180-4.
std::string sha256(std::span<const std::byte> bytes);

}  // namespace plumbline::golden
