#include "device/abi/convert.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace plumbline::abi {
namespace {

struct Code {
  DType dtype;
  std::uint8_t code;
  std::uint8_t bits;
};

/// DLPack 1.1.
constexpr auto kCodes = std::to_array<Code>({
    {DType::kI8, 0, 8},          {DType::kI16, 0, 16},      {DType::kI32, 0, 32},
    {DType::kI64, 0, 64},        {DType::kU8, 1, 8},        {DType::kF16, 2, 16},
    {DType::kF32, 2, 32},        {DType::kF64, 2, 64},      {DType::kBf16, 4, 16},
    {DType::kBool, 6, 8},        {DType::kE3m4, 7, 8},      {DType::kE4m3, 8, 8},
    {DType::kE4m3b11fnuz, 9, 8}, {DType::kE4m3fn, 10, 8},   {DType::kE4m3fnuz, 11, 8},
    {DType::kE5m2, 12, 8},       {DType::kE5m2fnuz, 13, 8}, {DType::kE8m0fnu, 14, 8},
    {DType::kE2m3fn, 15, 6},     {DType::kE3m2fn, 16, 6},   {DType::kE2m1fn, 17, 4},
});

constexpr std::int32_t kMostDimensions = 16;

Refusal refusal(Status status, const char* rule, const std::string& detail) {
  return {status, rule, detail};
}

bool row_major(const plumbline_dltensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t step = 1;
  for (std::int32_t d = tensor.ndim - 1; d >= 0; --d) {
    if (tensor.shape[d] > 1 && tensor.strides[d] != step) return false;
    if (__builtin_mul_overflow(step, std::max<std::int64_t>(tensor.shape[d], 1), &step))
      return false;
  }
  return true;
}

/// Whether the product of the dimensions, in bits, is a number at all.
bool countable(const std::vector<std::int64_t>& shape) {
  std::int64_t bits = 64;
  return std::all_of(shape.begin(), shape.end(), [&](std::int64_t n) {
    return n >= 0 && !__builtin_mul_overflow(bits, std::max<std::int64_t>(n, 1), &bits);
  });
}

}  // namespace

plumbline_dtype to_c(DType dtype) {
  const auto* row = std::find_if(kCodes.begin(), kCodes.end(),
                                 [&](const Code& code) { return code.dtype == dtype; });
  if (row == kCodes.end()) throw ContractViolation("a type without a DLPack code");
  return {row->code, row->bits, 1};
}

Result<DType> dtype_of(plumbline_dtype dtype) {
  for (const Code& row : kCodes) {
    if (row.code == dtype.code && row.bits == dtype.bits && dtype.lanes == 1) return row.dtype;
  }
  return refusal(Status::kDtype, "a type of DLPack 1.1, one lane",
                 "code " + std::to_string(dtype.code) + ", " + std::to_string(dtype.bits) +
                     " bits, " + std::to_string(dtype.lanes) + " lanes");
}

plumbline_tensor to_c(const std::string& name, const TensorView& view, std::int32_t device) {
  plumbline_tensor result{};
  result.name = name.c_str();
  result.tensor.data = view.data;
  result.tensor.device.device_type = device;
  result.tensor.ndim = static_cast<std::int32_t>(view.spec.shape.size());
  result.tensor.dtype = to_c(view.spec.dtype);
  // DLPack's shape is not const; nobody writes to it.
  result.tensor.shape = const_cast<std::int64_t*>(view.spec.shape.data());
  result.layout = static_cast<std::int32_t>(view.spec.layout);
  result.block = view.spec.block;
  return result;
}

Result<TensorView> view_of(const plumbline_tensor& tensor) {
  const plumbline_dltensor& t = tensor.tensor;
  if (tensor.name == nullptr) return refusal(Status::kMissing, "a tensor has a name", "null");
  const std::string name(tensor.name);
  if (t.device.device_type != kDeviceCpu) {
    return refusal(Status::kUnsupported, "tensors are in host memory",
                   name + " is on device type " + std::to_string(t.device.device_type));
  }
  if (t.ndim < 0 || t.ndim > kMostDimensions || (t.ndim > 0 && t.shape == nullptr)) {
    return refusal(Status::kShape, "0 to 16 dimensions, with a shape", name);
  }
  const Result<DType> dtype = dtype_of(t.dtype);
  if (!dtype) return dtype.refusal();
  TensorView view;
  view.spec.dtype = *dtype;
  view.spec.shape.assign(t.shape, t.shape + t.ndim);
  if (!countable(view.spec.shape)) return refusal(Status::kShape, "a countable shape", name);
  if (!row_major(t)) return refusal(Status::kLayout, "row-major, contiguous strides", name);
  if (tensor.layout < PLUMBLINE_LINEAR || tensor.layout > PLUMBLINE_PACKED_INT32) {
    return refusal(Status::kLayout, "a layout tag of plumbline.h",
                   name + " has " + std::to_string(tensor.layout));
  }
  view.spec.layout = static_cast<Layout>(tensor.layout);
  view.spec.block = tensor.block;
  if (t.data != nullptr) view.data = static_cast<std::byte*>(t.data) + t.byte_offset;
  return view;
}

Result<TensorViews> views_of(const plumbline_tensor* tensors, std::int64_t count) {
  if (count < 0 || (count > 0 && tensors == nullptr)) {
    return refusal(Status::kMissing, "tensors are given", "a null pointer or a negative count");
  }
  TensorViews views;
  for (std::int64_t n = 0; n < count; ++n) {
    Result<TensorView> view = view_of(tensors[n]);
    if (!view) return view.refusal();
    if (!views.emplace(tensors[n].name, std::move(view).value()).second) {
      return refusal(Status::kUnexpected, "each tensor once", tensors[n].name);
    }
  }
  return views;
}

CProblem::CProblem(const Problem& problem) {
  axes_.reserve(problem.axes.size());
  for (const auto& [name, value] : problem.axes) axes_.push_back({name.c_str(), value.c_str()});
  dims_.reserve(problem.dims.size());
  for (const auto& [name, value] : problem.dims) dims_.push_back({name.c_str(), value});
  problem_ = {problem.op.c_str(), axes_.data(), std::ssize(axes_), dims_.data(), std::ssize(dims_)};
}

Result<Problem> problem_of(const plumbline_problem* problem) {
  const Refusal null = refusal(Status::kMissing, "a problem with operation, axes and dimensions",
                               "a null pointer or a negative count");
  if (problem == nullptr || problem->op == nullptr) return null;
  if (problem->axis_count < 0 || (problem->axis_count > 0 && problem->axes == nullptr)) return null;
  if (problem->dim_count < 0 || (problem->dim_count > 0 && problem->dims == nullptr)) return null;
  Problem result;
  result.op = problem->op;
  for (std::int64_t n = 0; n < problem->axis_count; ++n) {
    const plumbline_word& axis = problem->axes[n];
    if (axis.name == nullptr || axis.value == nullptr) return null;
    result.axes.emplace_back(axis.name, axis.value);
  }
  for (std::int64_t n = 0; n < problem->dim_count; ++n) {
    if (problem->dims[n].name == nullptr) return null;
    result.dims.emplace_back(problem->dims[n].name, problem->dims[n].value);
  }
  return result;
}

std::vector<plumbline_tensor> to_c(const TensorViews& views, std::int32_t device) {
  std::vector<plumbline_tensor> tensors;
  tensors.reserve(views.size());
  for (const auto& [name, view] : views) tensors.push_back(to_c(name, view, device));
  return tensors;
}

CRecord::CRecord(const QuantRecord& record)
    : views_(views_of(record.tensors)), tensors_(to_c(views_)) {
  for (const auto& [name, value] : record.numbers) numbers_.push_back({name.c_str(), value});
  record_ = {record.tag.c_str(), tensors_.data(), std::ssize(tensors_), numbers_.data(),
             std::ssize(numbers_)};
}

Result<QuantRecord> record_of(const plumbline_record* record) {
  if (record == nullptr || record->tag == nullptr) {
    return refusal(Status::kMissing, "a record with a tag", "a null pointer");
  }
  QuantRecord result;
  result.tag = record->tag;
  const Result<TensorViews> views = views_of(record->tensors, record->tensor_count);
  if (!views) return views.refusal();
  for (const auto& [name, view] : *views) {
    if (view.data == nullptr && view.spec.bytes() > 0) {
      return refusal(Status::kMissing, "tensors of a record have data", name);
    }
    result.tensors[name] = copy_of(view);
  }
  for (std::int64_t n = 0; n < record->number_count; ++n) {
    if (record->numbers == nullptr || record->numbers[n].name == nullptr) {
      return refusal(Status::kMissing, "numbers of a record have names", "a null pointer");
    }
    result.numbers[record->numbers[n].name] = record->numbers[n].value;
  }
  return result;
}

Status status_of(std::int32_t status) {
  if (status < PLUMBLINE_OK || status > PLUMBLINE_DEVICE) return Status::kDevice;
  return static_cast<Status>(status);
}

}  // namespace plumbline::abi
