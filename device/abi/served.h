#pragma once
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "device/abi/convert.h"
#include "device/abi/implementation.h"
#include "device/abi/plumbline.h"

/// What a served library hands out, with the memory behind it. For serve.cpp and its parts alone.
namespace plumbline::abi {

/// Moves an answer into C structs; returns its status.
std::int32_t give(Answer answer, plumbline_answer* out);
/// Frees what `give` made.
void release_answer(plumbline_answer* answer);

/// Runs a body that returns an Answer. What it throws does not cross the border: the device failed.
template <class Body>
std::int32_t answered(plumbline_answer* answer, Body&& body) {
  *answer = {};
  try {
    return give(body(), answer);
  } catch (const std::exception& error) {
    Answer failed;
    failed.status = Status::kDevice;
    failed.message = std::string("internal error: ") + error.what();
    return give(std::move(failed), answer);
  }
}

/// A manifest as C structs.
class ServedManifest {
 public:
  explicit ServedManifest(Manifest manifest);
  ServedManifest(const ServedManifest&) = delete;
  ServedManifest& operator=(const ServedManifest&) = delete;
  const plumbline_manifest* get() const { return &c_; }

 private:
  /// One path with the arrays that its C struct points to.
  struct Path {
    ProfileWords profile_words;
    std::vector<std::vector<const char*>> axis_words;
    std::vector<plumbline_axis> axes;
    std::vector<const char*> constraints;
    std::vector<plumbline_word> traits;
    std::vector<plumbline_word> profile;
  };
  void add(const OfferedPath& path, Path& arrays);

  Manifest manifest_;
  std::vector<Path> arrays_;
  std::vector<plumbline_path> paths_;
  plumbline_manifest c_{};
};

/// A record that lives until record_release.
class ServedRecord {
 public:
  explicit ServedRecord(QuantRecord record) : record_(std::move(record)), c_(record_) {}
  const plumbline_record* get() {
    handle_ = {*c_.get(), this};
    return &handle_.record;
  }
  static void release(const plumbline_record* record);

 private:
  struct Handle {
    plumbline_record record;  ///< first: its address is the handle's
    ServedRecord* owner;
  };
  QuantRecord record_;
  CRecord c_;
  Handle handle_{};
};

/// Fills in the functions of quant methods.
void add_methods(plumbline_interface& table);

}  // namespace plumbline::abi

struct plumbline_library {
  std::unique_ptr<plumbline::Implementation> implementation;
  std::unique_ptr<plumbline::abi::ServedManifest> manifest;
};

struct plumbline_plan {
  plumbline_library* library;
  plumbline::Problem problem;
};

struct plumbline_method {
  std::unique_ptr<plumbline::Method> method;
};
