#include "conformance/run/manifest_json.h"

#include <nlohmann/json.hpp>

#include "reference/spec/status.h"

namespace plumbline::run {
namespace {

using Json = nlohmann::json;

Json path_json(const OfferedPath& path) {
  return {{"name", path.name},     {"op", path.op},
          {"axes", path.axes},     {"constraints", path.constraints},
          {"traits", path.traits}, {"profile", to_words(path.profile)}};
}

OfferedPath path_of(const Json& json) {
  OfferedPath path;
  path.name = json.at("name");
  path.op = json.at("op");
  json.at("axes").get_to(path.axes);
  json.at("constraints").get_to(path.constraints);
  json.at("traits").get_to(path.traits);
  for (const auto& [key, word] : json.at("profile").get<ProfileWords>()) {
    static_cast<void>(set_word(path.profile, key, word));
  }
  return path;
}

}  // namespace

std::string to_json(const Manifest& manifest) {
  Json paths = Json::array();
  for (const OfferedPath& path : manifest.paths) paths.push_back(path_json(path));
  const Json json = {{"name", manifest.name},
                     {"version", manifest.version},
                     {"device", manifest.device},
                     {"target", manifest.target},
                     {"wave", manifest.wave},
                     {"classified", manifest.classified_errors},
                     {"paths", paths}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Manifest manifest_from_json(const std::string& text, const std::string& source) {
  try {
    const Json json = Json::parse(text);
    Manifest manifest;
    manifest.name = json.at("name");
    manifest.version = json.at("version");
    manifest.device = json.at("device");
    manifest.target = json.at("target");
    manifest.wave = json.at("wave");
    manifest.classified_errors = json.at("classified");
    for (const Json& path : json.at("paths")) manifest.paths.push_back(path_of(path));
    return manifest;
  } catch (const Json::exception&) {
    throw BadInput(source, "manifest", "its process handed over something else");
  }
}

}  // namespace plumbline::run
