#pragma once
#include <filesystem>

#include "conformance/golden/case_file.h"

namespace plumbline::golden {

/// Reads the tensors that metadata `weights` names by hash (casefile.md) from `folder`/weights and
/// adds them to the file. Throws BadInput where one is missing, has another hash or size, or
/// stands in the file as well.
void load_weights(CaseFile& file, const std::filesystem::path& folder);

}  // namespace plumbline::golden
