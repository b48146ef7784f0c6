#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "device/abi/implementation.h"
#include "device/abi/plumbline.h"

/// Between the C structs of plumbline.h and the types of reference/spec. What points into something
/// says so: it must not outlive it.
namespace plumbline::abi {

/// DLPack's code and bits of a type.
plumbline_dtype to_c(DType dtype);
/// The type of a code, or a refusal (dtype).
Result<DType> dtype_of(plumbline_dtype dtype);

/// Device types of DLPack that mean host memory, CUDA and ROCm.
inline constexpr std::int32_t kDeviceCpu = 1;
inline constexpr std::int32_t kDeviceCuda = 2;
inline constexpr std::int32_t kDeviceRocm = 10;

/// Points into `name` and `view`.
plumbline_tensor to_c(const std::string& name, const TensorView& view,
                      std::int32_t device = kDeviceCpu);
/// Points to the tensor's memory. Refuses null names (missing), devices other than the CPU
/// (unsupported), unknown types, negative shapes and strides that are not row-major.
Result<TensorView> view_of(const plumbline_tensor& tensor);
/// All of them by name; a name that stands twice is refused (unexpected).
Result<TensorViews> views_of(const plumbline_tensor* tensors, std::int64_t count);

/// A problem as C structs. Points into the problem.
class CProblem {
 public:
  explicit CProblem(const Problem& problem);
  CProblem(const CProblem&) = delete;
  CProblem& operator=(const CProblem&) = delete;
  const plumbline_problem* get() const { return &problem_; }

 private:
  std::vector<plumbline_word> axes_;
  std::vector<plumbline_number> dims_;
  plumbline_problem problem_{};
};

/// Refuses null pointers (missing).
Result<Problem> problem_of(const plumbline_problem* problem);

/// Tensors as C structs. Points into the views.
std::vector<plumbline_tensor> to_c(const TensorViews& views, std::int32_t device = kDeviceCpu);

/// A record as C structs. Points into the record.
class CRecord {
 public:
  explicit CRecord(const QuantRecord& record);
  CRecord(const CRecord&) = delete;
  CRecord& operator=(const CRecord&) = delete;
  const plumbline_record* get() const { return &record_; }

 private:
  TensorViews views_;
  std::vector<plumbline_tensor> tensors_;
  std::vector<plumbline_number> numbers_;
  plumbline_record record_{};
};

/// A copy of a record with its bytes.
Result<QuantRecord> record_of(const plumbline_record* record);

/// The status of a number, or kDevice for one that is none.
Status status_of(std::int32_t status);

}  // namespace plumbline::abi
