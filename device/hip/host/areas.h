#pragma once
#include <cstddef>

/// Runs of accessible pages with an unmapped page on both sides, kept for reuse.
namespace hipx::areas {

constexpr std::size_t kPageBytes = 4096;

/// Size of the area that holds `bytes`: whole pages, four sizes an octave, so that a freed area
/// fits later requests.
std::size_t size_for(std::size_t bytes);
/// An area of a size that size_for gave, or null if there is no memory. Its content is undefined.
char* take(std::size_t area_bytes);
/// Makes an area inaccessible (use after free faults) and keeps it, or unmaps it.
void drop(char* area, std::size_t area_bytes);

}  // namespace hipx::areas
