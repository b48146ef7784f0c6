#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/abi/implementation.h"
#include "device/abi/plumbline.h"

/// The suite's side of the C ABI: a shared library as an Implementation.
namespace plumbline {

/// Words for the library's `open`: wave → 64.
using LibraryOptions = std::vector<std::pair<std::string, std::string>>;

/// Loads a library and opens an instance. The library stays loaded until the program ends. Throws
/// BadInput, naming the file, where it does not load, exports no plumbline_get_interface, has
/// another ABI version, lacks a required function, refuses the options, finds no device, or
/// describes itself with null pointers, unknown words or constraints that cannot be read.
std::unique_ptr<Implementation> open_library(const std::string& file,
                                             const LibraryOptions& options);

/// A symbol of a library that `open_library` can load, or null.
void* symbol_of(const std::string& file, const char* name);

}  // namespace plumbline
