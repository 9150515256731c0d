// Reads values of the API server's JSON objects by path, without exceptions:
//   text_at(pod, {"metadata", "name"}) -> "digits-x1y2z-worker-1-0-1"
// A value that is missing or of another type reads as null, "" or 0, since another version of the server may leave out
// or add fields.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace carrack::control {

using Path = std::initializer_list<std::string_view>;

// Returns a reference into `object`, or to a static null if there is no such value. An empty path refers to `object`
// itself.
inline const nlohmann::json& json_at(const nlohmann::json& object, Path path) {
  static const nlohmann::json nothing;
  const nlohmann::json* here = &object;
  for (const std::string_view name : path) {
    const auto found = here->is_object() ? here->find(name) : here->end();
    if (!here->is_object() || found == here->end()) return nothing;
    here = &*found;
  }
  return *here;
}

// Returns the string at the path; "" if there is none.
inline std::string text_at(const nlohmann::json& object, Path path) {
  const nlohmann::json& value = json_at(object, path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

// Returns the integer at the path; 0 if there is none.
inline std::int64_t integer_at(const nlohmann::json& object, Path path) {
  const nlohmann::json& value = json_at(object, path);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

}  // namespace carrack::control
