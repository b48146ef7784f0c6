#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include "device/abi/plumbline.h"

/// Libraries that go wrong in one way each, chosen by PLUMBLINE_ODD when they are compiled; what
/// the loader does with them is tested. Not wrong is `device_memory`, which takes its tensors in
/// memory of its own and runs only when its plan is waited for.
namespace {

constexpr std::string_view kOdd = PLUMBLINE_ODD;

std::int32_t give(plumbline_answer* answer, std::int32_t status, const char* text) {
  *answer = {};
  answer->status = status;
  answer->message = text;
  answer->path = "odd";
  return status;
}

/// "Device" memory: host memory behind a number, so that a plain read of the pointer faults.
std::map<std::uintptr_t, std::string>& memory() {
  static std::map<std::uintptr_t, std::string> blocks;
  return blocks;
}

std::int32_t allocate(plumbline_library*, std::int64_t bytes, void** out) {
  static std::uintptr_t next = 256;
  memory()[next] = std::string(static_cast<std::size_t>(bytes), '\x7f');
  *out = reinterpret_cast<void*>(next);  // NOLINT(performance-no-int-to-ptr): it must not be read
  next += (static_cast<std::uintptr_t>(bytes) / 256 + 1) * 256;
  return PLUMBLINE_OK;
}
void deallocate(plumbline_library*, void* block) {
  memory().erase(reinterpret_cast<std::uintptr_t>(block));
}
std::int32_t copy_to_device(plumbline_library*, void* to, const void* from, std::int64_t bytes) {
  std::memcpy(memory().at(reinterpret_cast<std::uintptr_t>(to)).data(), from,
              static_cast<std::size_t>(bytes));
  return PLUMBLINE_OK;
}
std::int32_t copy_to_host(plumbline_library*, void* to, const void* from, std::int64_t bytes) {
  std::memcpy(to, memory().at(reinterpret_cast<std::uintptr_t>(from)).data(),
              static_cast<std::size_t>(bytes));
  return PLUMBLINE_OK;
}

std::int32_t open_odd(const plumbline_word*, std::int64_t, plumbline_library** library,
                      plumbline_answer* answer) {
  if (kOdd == "opens_with_a_crash") std::abort();
  static char instance = 0;
  *library = reinterpret_cast<plumbline_library*>(&instance);
  return give(answer, PLUMBLINE_OK, "");
}
void close_odd(plumbline_library*) {}

const plumbline_manifest* manifest(plumbline_library*) {
  const char* rule = kOdd == "unknown_dimension" ? "ee >= 1" : "e >= 1";
  static const std::array rules = {kOdd == "bad_constraint" ? "e =< 8" : rule};
  static const std::array words = {"softmax"};
  static const plumbline_axis axis = {kOdd == "unknown_axis" ? "score" : "scoring", words.data(),
                                      1};
  static const plumbline_word profile = {"accumulator", kOdd == "bad_profile" ? "fp16" : "fp32"};
  static plumbline_path path{};
  path.name = kOdd == "null_name" ? nullptr : "odd";
  path.op = kOdd == "unknown_operation" ? "moe.rout" : "moe.route";
  path.axes = &axis;
  path.axis_count = 1;
  path.constraints = rules.data();
  path.constraint_count = 1;
  path.profile = &profile;
  path.profile_count = 1;
  static plumbline_manifest said{};
  said.version = said.device = said.target = "odd";
  said.name = kOdd == "control_characters" ? "odd\x1b[2J" : "odd";
  said.classified_errors = 1;
  said.memory = kOdd == "device_memory" || kOdd == "no_allocate" ? 2 : 1;
  said.paths = &path;
  said.path_count = 1;
  return kOdd == "null_manifest" ? nullptr : &said;
}

std::int32_t validate(plumbline_library*, const plumbline_call*, plumbline_answer* answer) {
  return give(answer, PLUMBLINE_OK, "");
}

/// Answers every token with expert 0, 1, … and weight 1, in device memory.
std::int32_t run_on_device(const plumbline_call* call) {
  for (std::int64_t n = 0; n < call->output_count; ++n) {
    const plumbline_dltensor& out = call->outputs[n].tensor;
    if (out.data == nullptr) continue;
    std::string& bytes = memory().at(reinterpret_cast<std::uintptr_t>(out.data));
    const std::int64_t k = out.shape[1];
    for (std::size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      const auto id = static_cast<std::int32_t>(static_cast<std::int64_t>(at / 4) % k);
      const float one = 1.0F;
      if (out.dtype.code == 0) std::memcpy(&bytes[at], &id, 4);
      if (out.dtype.code != 0) std::memcpy(&bytes[at], &one, 4);
    }
  }
  return PLUMBLINE_OK;
}

std::int32_t run(plumbline_library*, const plumbline_call* call, plumbline_answer* answer) {
  if (kOdd == "crashes") std::abort();
  if (kOdd == "throws") throw std::runtime_error("out of the library");
  if (kOdd == "strange_status") return give(answer, 77, "?");
  give(answer, PLUMBLINE_OK, "");
  if (kOdd == "contradicts") return PLUMBLINE_SHAPE;
  if (kOdd == "device_memory") return run_on_device(call);
  return PLUMBLINE_OK;
}

void answer_release(plumbline_answer* answer) { *answer = {}; }

/// A method whose layer holds one tensor, with the strides of a transposed one.
std::int32_t query(plumbline_method*, plumbline_method_state* state) {
  static std::array<float, 4> numbers{};
  static std::array<std::int64_t, 2> shape = {2, 2};
  static std::array<std::int64_t, 2> strides = {1, 2};
  static plumbline_tensor tensor{};
  tensor.name = "w13";
  tensor.tensor = {numbers.data(), {1, 0}, 2, {2, 32, 1}, shape.data(), strides.data(), 0};
  *state = {0, "", &tensor, 1, nullptr};
  return PLUMBLINE_OK;
}

void add_methods(plumbline_interface& table) {
  table.method_create = [](plumbline_library*, const char*, const char*, plumbline_method** method,
                           plumbline_answer* answer) {
    static char instance = 0;
    *method = reinterpret_cast<plumbline_method*>(&instance);
    return give(answer, PLUMBLINE_OK, "");
  };
  table.method_create_weights = [](plumbline_method*, const plumbline_problem*,
                                   plumbline_answer* answer) {
    return give(answer, PLUMBLINE_OK, "");
  };
  table.method_create_runner = table.method_create_weights;
  table.method_load = [](plumbline_method*, const plumbline_tensor*, std::int64_t,
                         plumbline_answer* answer) { return give(answer, PLUMBLINE_OK, ""); };
  table.method_process_weights = [](plumbline_method*, plumbline_answer* answer) {
    return give(answer, PLUMBLINE_OK, "");
  };
  table.method_apply = [](plumbline_method*, const plumbline_call*, plumbline_answer* answer) {
    return give(answer, PLUMBLINE_OK, "");
  };
  table.method_query = query;
  table.method_state_release = [](plumbline_method_state* state) { *state = {}; };
  table.method_destroy = [](plumbline_method*) {};
}

plumbline_interface make_table() {
  plumbline_interface table{};
  table.abi_version = kOdd == "other_version" ? PLUMBLINE_ABI_VERSION + 1 : PLUMBLINE_ABI_VERSION;
  table.size = kOdd == "short_table" ? 16 : sizeof table;
  table.open = open_odd;
  table.close = close_odd;
  table.manifest = manifest;
  table.validate = validate;
  table.run = kOdd == "no_run" ? nullptr : run;
  table.answer_release = answer_release;
  if (kOdd == "unreadable_layer") add_methods(table);
  if (kOdd == "device_memory" || kOdd == "allocate_alone") table.allocate = allocate;
  if (kOdd == "device_memory") {
    table.deallocate = deallocate;
    table.copy_to_device = copy_to_device;
    table.copy_to_host = copy_to_host;
  }
  return table;
}

}  // namespace

extern "C" PLUMBLINE_EXPORT const plumbline_interface* plumbline_get_interface() {
  static const plumbline_interface table = make_table();
  return kOdd == "null_table" ? nullptr : &table;
}
