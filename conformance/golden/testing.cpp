#include "conformance/golden/testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "reference/formats/codec.h"

namespace plumbline::golden {
namespace {

std::size_t element_bytes(const Tensor& tensor) {
  return static_cast<std::size_t>(bytes_of(tensor.spec.dtype, 1));
}

std::uint64_t code_at(const Tensor& tensor, std::int64_t index) {
  std::uint64_t code = 0;
  const std::size_t size = element_bytes(tensor);
  std::memcpy(&code, tensor.data.data() + static_cast<std::size_t>(index) * size, size);
  return code;
}

}  // namespace

std::string golden_file(const std::string& name) {
  return std::string(PLUMBLINE_SOURCE_DIR) + "/conformance/golden/files/" + name;
}

std::vector<std::string> all_golden_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(golden_file(""))) {
    if (entry.path().extension() != ".md") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

FileResult check_content(const Safetensors& content) {
  return check_bytes(to_safetensors(content), "case.safetensors", std::nullopt);
}

Finding finding_of(const FileResult& result, const std::string& thing) {
  for (const Finding& finding : result.findings) {
    if (finding.thing == thing) return finding;
  }
  ADD_FAILURE() << result.file << " has no finding " << thing << "; error: " << result.error;
  return {};
}

void add_to_code(Tensor& tensor, std::int64_t index, std::int64_t steps) {
  const std::uint64_t code = code_at(tensor, index) + static_cast<std::uint64_t>(steps);
  const std::size_t size = element_bytes(tensor);
  std::memcpy(tensor.data.data() + static_cast<std::size_t>(index) * size, &code, size);
}

std::int64_t largest_element(const Tensor& tensor) {
  const std::vector<double> values = formats::decode(tensor);
  const auto smaller = [](double a, double b) { return std::abs(a) < std::abs(b); };
  return std::max_element(values.begin(), values.end(), smaller) - values.begin();
}

void swap_rows(Tensor& tensor, std::int64_t a, std::int64_t b) {
  const auto width = static_cast<std::size_t>(tensor.spec.shape.back()) * element_bytes(tensor);
  std::byte* data = tensor.data.data();
  std::swap_ranges(data + static_cast<std::size_t>(a) * width,
                   data + static_cast<std::size_t>(a + 1) * width,
                   data + static_cast<std::size_t>(b) * width);
}

std::int64_t other_row(const Tensor& tensor, std::int64_t index) {
  const std::int64_t width = tensor.spec.shape.back();
  const std::int64_t rows = tensor.spec.elements() / width;
  const std::int64_t row = index / width;
  for (std::int64_t step = 1; step < rows; ++step) {
    const std::int64_t other = (row + step) % rows;
    if (code_at(tensor, other * width + index % width) != code_at(tensor, index)) return other;
  }
  return -1;
}

}  // namespace plumbline::golden
