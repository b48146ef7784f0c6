#include "conformance/judge/text.h"

#include <array>
#include <cstdio>

namespace plumbline::judge {

std::string number_text(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6g", value);
  return buffer.data();
}

std::string place_text(std::span<const std::int64_t> position) {
  std::string text = "[";
  for (std::size_t i = 0; i < position.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(position[i]);
  }
  return text + "]";
}

}  // namespace plumbline::judge
