#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace plumbline {

/// How an implementation answers a call. Everything but kOk and kDevice is decided before launch
/// and leaves every output untouched.
enum class Status : std::uint8_t {
  kOk,
  kUnsupported,
  kDtype,
  kShape,
  kLayout,
  kMissing,
  kUnexpected,
  kCapacity,
  kState,
  kDevice,
};

/// The word of a status in journals and messages: "ok", "unsupported", "dtype", …
std::string_view name_of(Status status);
std::span<const Status> all_statuses();

/// A refusal names the rule that was broken and the offending field, value and what is allowed.
struct Refusal {
  Status status = Status::kUnsupported;
  std::string rule;    ///< a predicate: "h % 128 == 0"
  std::string detail;  ///< the values: "h = 100"

  std::string text() const { return rule + ": " + detail; }
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// Bad input from outside (file, option, id): one line that names file, place and rule; exit 2.
class BadInput : public std::runtime_error {
 public:
  BadInput(std::string_view file, std::string_view place, std::string_view rule);
};

/// Our own mistake: a broken invariant with its values.
class ContractViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// A value or the refusal that stands in its place.
template <class T>
class Result {
 public:
  Result(T value) : content_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Result(Refusal refusal) : content_(std::move(refusal)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return std::holds_alternative<T>(content_); }
  const T& value() const& { return std::get<T>(content_); }
  T&& value() && { return std::get<T>(std::move(content_)); }
  const T& operator*() const& { return value(); }
  const T* operator->() const { return &value(); }
  const Refusal& refusal() const { return std::get<Refusal>(content_); }

 private:
  std::variant<T, Refusal> content_;
};

}  // namespace plumbline
