#pragma once
#include <cstdint>
#include <optional>
#include <string>

/// The CPU device beyond HIP's own API: how it checks, and what it found. Everything here belongs
/// to the calling host thread.
namespace hipx {

/// In which order the threads of a block take their turns.
enum class Order { kForward, kReverse, kRandom };
/// On which side of a buffer the unmapped page lies.
enum class Guard { kEnd, kStart };

/// How kernels run and what is checked. The defaults come from the environment (HIPX_ORDER =
/// forward, reverse or random:SEED; HIPX_STREAMS = eager or lazy; HIPX_GUARD = end or start;
/// HIPX_POISON, HIPX_STRICT, HIPX_PRINT = 0 or 1; HIPX_WATCHDOG = seconds; HIPX_WORKERS = number).
struct Settings {
  Order order = Order::kForward;
  std::uint64_t seed = 1;        ///< of the random order
  bool lazy_streams = false;     ///< stream work waits for a synchronisation
  Guard guard = Guard::kEnd;     ///< of buffers allocated from now on
  bool poison = true;            ///< fresh device and shared memory is 0xFF bytes (NaN)
  bool strict = true;            ///< divergent barriers and wave operations are errors
  bool print = true;             ///< reports also go to stderr
  double watchdog_seconds = 10;  ///< longest time of one block; 0: no limit
  int workers = 1;               ///< above 1: large grids are spread over TBB's threads
};

/// Settings of this host thread.
const Settings& settings();
void set_settings(const Settings& settings);
/// What the environment asks for.
Settings default_settings();

/// Text of the last device error of this host thread (what, kernel, block, thread); empty if none.
const std::string& last_report();
/// Forgets errors, the report and queued stream work of this host thread.
void reset();
/// Looks at the poisoned bytes beside every live buffer of this host thread: what was written
/// outside an allocation, or nullopt. hipFree looks too.
std::optional<std::string> check();

/// Sanitizer builds run everything on one thread at a time: several host threads may not launch at
/// once there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(PLUMBLINE_HIPX_TSAN)
inline constexpr bool kSingleWorker = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kSingleWorker = true;
#else
inline constexpr bool kSingleWorker = false;
#endif
#else
inline constexpr bool kSingleWorker = false;
#endif

}  // namespace hipx
