#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "conformance/judge/judge.h"
#include "reference/spec/tensor.h"

namespace plumbline::judge {

/// Which end of a guarded buffer touches an unmapped page.
enum class Edge : std::uint8_t {
  kEnd,    ///< the data end at it: reading or writing behind them faults
  kStart,  ///< the data begin at it: reading or writing before them faults
};

/// Memory with an unmapped page on both sides of its own pages. The data touch the one that `Edge`
/// names, up to the slack that keeps their address a multiple of 16; slack and the rest of the
/// pages hold a poison whose every aligned element is NaN (float types) or huge (integers).
class GuardedBuffer {
 public:
  /// `bytes` may be 0: the address is then valid and may not be touched. Throws std::bad_alloc.
  GuardedBuffer(std::size_t bytes, Edge edge);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  /// nullopt while the poison is whole; otherwise the first overwritten byte, its distance from
  /// the data and how many bytes were overwritten.
  std::optional<std::string> check() const;

 private:
  void release() noexcept;

  std::byte* mapping_ = nullptr;  ///< start of the first unmapped page
  std::size_t mapped_ = 0;        ///< bytes of the whole mapping, both unmapped pages included
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The code that outputs are filled with before a call: a NaN with a payload of its own, or a huge
/// integer; an element that still has it was not written.
std::uint64_t canary(DType dtype);
/// How many elements of `tensor` still hold the canary.
std::int64_t unwritten(const Tensor& tensor);

/// Tensors in guarded memory, one buffer each.
class GuardedTensors {
 public:
  /// Copies of `tensors`.
  GuardedTensors(const Tensors& tensors, Edge edge);
  /// Outputs to be written, filled with the canary.
  GuardedTensors(const std::map<std::string, TensorSpec>& specs, Edge edge);

  TensorViews views();
  /// What the buffer of `name` holds now.
  Tensor copy(std::string_view name) const;
  Tensors copies() const;
  /// nullopt while every guard is whole; otherwise names the tensor and the bytes.
  std::optional<std::string> damage() const;
  /// nullopt while every tensor has the bytes of `originals`; otherwise names tensor and element.
  std::optional<std::string> changed(const Tensors& originals) const;
  /// nullopt while every output holds nothing but the canary; otherwise names tensor and element.
  std::optional<std::string> written() const;

 private:
  struct Entry {
    TensorSpec spec;
    GuardedBuffer buffer;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

/// Lane "guard": fails where a guard was overwritten or an input is not what it was.
Judgement guards(const GuardedTensors& inputs, const Tensors& originals,
                 const GuardedTensors& outputs);

}  // namespace plumbline::judge
