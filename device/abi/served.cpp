#include "device/abi/served.h"

#include <utility>

namespace plumbline::abi {
namespace {

/// An answer with the arrays that its C struct points to.
struct AnswerStore {
  Answer answer;
  TensorViews views;
  std::vector<plumbline_tensor> tensors;
  std::vector<const char*> in_place;
};

std::vector<const char*> pointers(const std::vector<std::string>& words) {
  std::vector<const char*> result;
  result.reserve(words.size());
  for (const std::string& word : words) result.push_back(word.c_str());
  return result;
}

std::vector<plumbline_word> words_of(
    const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::vector<plumbline_word> result;
  result.reserve(pairs.size());
  for (const auto& [name, value] : pairs) result.push_back({name.c_str(), value.c_str()});
  return result;
}

}  // namespace

std::int32_t give(Answer answer, plumbline_answer* out) {
  const auto status = static_cast<std::int32_t>(answer.status);
  out->status = status;
  out->message = "";
  out->path = "";
  // The answer that says no more than ok needs no memory.
  if (answer.status == Status::kOk && answer.path.empty() && answer.returned.empty()) return status;
  auto store = std::make_unique<AnswerStore>();
  store->answer = std::move(answer);
  store->views = views_of(store->answer.returned);
  store->tensors = to_c(store->views);
  store->in_place = pointers(store->answer.wrote_in_place);
  out->message = store->answer.message.c_str();
  out->path = store->answer.path.c_str();
  out->returned = store->tensors.data();
  out->returned_count = std::ssize(store->tensors);
  out->in_place = store->in_place.data();
  out->in_place_count = std::ssize(store->in_place);
  out->owner = store.release();
  return status;
}

void release_answer(plumbline_answer* answer) {
  delete static_cast<AnswerStore*>(answer->owner);
  *answer = {};
}

ServedManifest::ServedManifest(Manifest manifest) : manifest_(std::move(manifest)) {
  arrays_.resize(manifest_.paths.size());
  for (std::size_t n = 0; n < arrays_.size(); ++n) add(manifest_.paths[n], arrays_[n]);
  c_.name = manifest_.name.c_str();
  c_.version = manifest_.version.c_str();
  c_.device = manifest_.device.c_str();
  c_.target = manifest_.target.c_str();
  c_.wave = manifest_.wave;
  c_.classified_errors = manifest_.classified_errors ? 1 : 0;
  c_.memory = kDeviceCpu;
  c_.paths = paths_.data();
  c_.path_count = std::ssize(paths_);
}

void ServedManifest::add(const OfferedPath& path, Path& arrays) {
  arrays.profile_words = to_words(path.profile);
  arrays.axis_words.reserve(path.axes.size());
  for (const auto& [axis, words] : path.axes) {
    arrays.axis_words.push_back(pointers(words));
    arrays.axes.push_back({axis.c_str(), arrays.axis_words.back().data(), std::ssize(words)});
  }
  arrays.constraints = pointers(path.constraints);
  arrays.traits = words_of(path.traits);
  arrays.profile = words_of(arrays.profile_words);
  plumbline_path c{};
  c.name = path.name.c_str();
  c.op = path.op.c_str();
  c.axes = arrays.axes.data();
  c.axis_count = std::ssize(arrays.axes);
  c.constraints = arrays.constraints.data();
  c.constraint_count = std::ssize(arrays.constraints);
  c.traits = arrays.traits.data();
  c.trait_count = std::ssize(arrays.traits);
  c.profile = arrays.profile.data();
  c.profile_count = std::ssize(arrays.profile);
  paths_.push_back(c);
}

void ServedRecord::release(const plumbline_record* record) {
  if (record != nullptr) delete reinterpret_cast<const Handle*>(record)->owner;
}

}  // namespace plumbline::abi
