#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/formats/quantize.h"
#include "reference/spec/status.h"
#include "reference/spec/tensor.h"

/// The tensors that together are one quantised operand, and what must hold of them.
namespace plumbline::formats {

enum class QuantRole : std::uint8_t { kCodes, kScale, kZero, kGlobalScale };

/// One of the tensors: what it is for, its name, and how it must be.
struct QuantPart {
  QuantRole role = QuantRole::kCodes;
  std::string name;
  TensorSpec spec;    ///< in memory
  TensorSpec linear;  ///< before it is laid out; the same where it is linear
};

/// "" (codes), "_scale", "_zero", "_global_scale": what follows the operand's name.
std::string_view suffix_of(QuantRole role);

/// The tensors of an operand of `shape` [.., rows, cols], codes first, then those that the form
/// has:
///   NAME               codes, one a byte or wider
///   NAME_scale         kTensor [..], kChannel and kToken [.., rows], kBlock [.., scale rows, scale
///                      columns] (quantize.h), in the form's layout
///   NAME_zero          u8, the shape of the linear scales
///   NAME_global_scale  f32 [..]
/// where [..] of an operand of two dimensions is [1]. Throws ContractViolation for fewer dimensions
/// or sizes that no memory holds.
std::vector<QuantPart> quant_parts(const QuantForm& form, std::string_view name,
                                   const std::vector<std::int64_t>& shape);

/// A rule that a tensor breaks.
struct QuantBreach {
  Status status = Status::kUnsupported;
  std::string name;   ///< of the tensor
  std::string rule;   ///< what it must be: "is e4m3fn"
  std::string found;  ///< what it is; empty: there is nothing to say

  Refusal refusal() const;
  /// As one line: "w13: is e4m3fn, not f32 [2, 2]".
  BadInput bad_input() const;
};

/// The first rule that the tensors NAME… break, none where they may be read. In this order, tensor
/// by tensor:
///   missing      a tensor that the form has; unexpected: one that it has not
///   dtype        another type; codes that nothing scales are floats of more than 8 bits
///   layout       another tag, or a block size that is not the form's (0: not stated)
///   shape        another shape or number of bytes, fewer than two dimensions, groups that do not
///                divide the columns where they must
///   unsupported  a scale that is not finite and positive; a code that is NaN, infinite or wider
///                than the form's bits; a zero point wider than them. The padding of a layout is
///                not looked at, nor are the values of codes that nothing scales.
std::optional<QuantBreach> check_quantized(const Tensors& tensors, std::string_view name,
                                           const QuantForm& form);

/// The values [.., rows, cols] of an operand, slice by slice. Throws BadInput with the breach that
/// check_quantized finds.
std::vector<double> dequantize(const Tensors& tensors, std::string_view name,
                               const QuantForm& form);

}  // namespace plumbline::formats
