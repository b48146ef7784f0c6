#pragma once
#include <stdint.h>

#include "device/abi/plumbline.h"

/// What the embedded library exports besides the C ABI: its planted faults and benches of its host
/// target. Only the program that it was built with reads these.
// Named as the C ABI is. NOLINTBEGIN(readability-identifier-naming)
extern "C" {

/// As FaultInfo of implementation.h.
struct plumbline_planted_fault {
  const char* name;
  const char* fault_class;
  const char* mistake;
  const char* expected_lane;
  const char* pattern;
  int32_t wave;
};

struct plumbline_embedded_extras {
  const plumbline_planted_fault* faults;
  int64_t fault_count;
  /// gemm512_seconds (one product of 512³ floats), barrier_nanoseconds (a thread of a block of
  /// 256); negative: not known on this target.
  double (*bench)(const char* name);
};

using plumbline_get_embedded_extras_function = const plumbline_embedded_extras* (*)();
}
// NOLINTEND(readability-identifier-naming)
