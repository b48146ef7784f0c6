#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/abi/implementation.h"
#include "device/abi/plumbline.h"

/// The library's side of the C ABI: an Implementation behind plumbline_interface.
namespace plumbline::abi {

using Options = std::vector<std::pair<std::string, std::string>>;
/// Makes the implementation. Throws BadInput for an unknown option, std::exception for a device
/// that is not there.
using Maker = std::unique_ptr<Implementation> (*)(const Options&);

/// The body of `open`.
std::int32_t open_with(Maker make, const plumbline_word* options, std::int64_t option_count,
                       plumbline_library** library, plumbline_answer* answer);

/// Every function but `open`, those of device memory and of streams: `run` is complete when it
/// returns, and no path takes a workspace.
plumbline_interface served_interface();

/// An interface that opens what `kMake` makes.
template <Maker kMake>
plumbline_interface serve() {
  plumbline_interface table = served_interface();
  table.open = [](const plumbline_word* options, std::int64_t option_count,
                  plumbline_library** library, plumbline_answer* answer) {
    return open_with(kMake, options, option_count, library, answer);
  };
  return table;
}

}  // namespace plumbline::abi
