#pragma once

/// Measures the CPU device itself, for the project's own benchmark.
namespace hipx {

/// CPU time of one barrier of a block of `threads` threads, in ns a thread: the best of several
/// runs of a kernel that only meets barriers.
double barrier_nanoseconds(unsigned threads);

/// CPU time of one launch of one block of `threads` threads without barriers, in ns.
double launch_nanoseconds(unsigned threads);

}  // namespace hipx
