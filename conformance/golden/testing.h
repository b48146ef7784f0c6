#pragma once
#include <string>
#include <vector>

#include "conformance/golden/check.h"
#include "conformance/golden/safetensors.h"

/// What the tests of this folder share.
namespace plumbline::golden {

/// Path of a file that the project carries.
std::string golden_file(const std::string& name);
/// All of them, sorted.
std::vector<std::string> all_golden_files();

/// The content judged as if it had been read from "case.safetensors".
FileResult check_content(const Safetensors& content);

/// The finding of that name; a failed test and an empty finding where there is none.
Finding finding_of(const FileResult& result, const std::string& thing);

/// Adds to the element's code, so 16 moves a float by 16 of its own ulp, away from zero.
void add_to_code(Tensor& tensor, std::int64_t index, std::int64_t steps);
/// Index of the element of largest magnitude.
std::int64_t largest_element(const Tensor& tensor);
/// Exchanges two rows (along the last dimension).
void swap_rows(Tensor& tensor, std::int64_t a, std::int64_t b);
/// A row other than that of `index` which differs from it in that column; −1: there is none.
std::int64_t other_row(const Tensor& tensor, std::int64_t index);

}  // namespace plumbline::golden
