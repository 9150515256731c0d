#include "dataloader/credentials/fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == 127;
}

}  // namespace

Fields::Fields(const nlohmann::json& object, std::string where) : object_(object), where_(std::move(where)) {
  if (!object.is_object()) throw Refused(where_ + "is not a JSON object");
}

void Fields::refuse(const std::string& name, const std::string& reason) const {
  throw Refused(where_ + name + ": " + reason);
}

bool Fields::has(const std::string& name) const {
  const auto found = object_.find(name);
  return found != object_.end() && !found->is_null();
}

const nlohmann::json& Fields::field(const std::string& name) const {
  if (!has(name)) refuse(name, "is missing");
  return object_.at(name);
}

std::string Fields::raw_text(const std::string& name) const {
  const nlohmann::json& value = field(name);
  if (!value.is_string()) refuse(name, "is not a string");
  auto text = value.get<std::string>();
  if (text.empty()) refuse(name, "is empty");
  return text;
}

std::string Fields::text(const std::string& name) const {
  std::string text = raw_text(name);
  if (std::any_of(text.begin(), text.end(), is_control)) refuse(name, "holds a control character");
  return text;
}

std::string Fields::text_or(const std::string& name, const std::string& default_value) const {
  return has(name) ? text(name) : default_value;
}

std::vector<std::string> Fields::texts(const std::string& name) const {
  if (!has(name)) return {};
  const nlohmann::json& list = field(name);
  const bool is_valid = list.is_array() && std::all_of(list.begin(), list.end(),
                                                       [](const nlohmann::json& one) { return one.is_string(); });
  if (!is_valid) refuse(name, "is not a list of strings");
  return list.get<std::vector<std::string>>();
}

int Fields::number_or(const std::string& name, int default_value) const {
  constexpr std::int64_t number_max = 1'000'000;
  if (!has(name)) return default_value;
  const nlohmann::json& value = field(name);
  const bool is_valid = value.is_number_integer() && value.get<double>() >= 0 && value.get<double>() <= number_max;
  if (!is_valid) refuse(name, "is not a whole number from 0 to 1000000");
  return value.get<int>();
}

ServiceUrl Fields::url(const std::string& name) const {
  std::optional<ServiceUrl> url = service_url_from(text(name));
  if (!url) refuse(name, "is not an http:// or https:// address");
  return *std::move(url);
}

ServiceUrl Fields::confidential_url(const std::string& name) const {
  ServiceUrl found = url(name);
  if (!is_confidential(found.endpoint)) refuse(name, "is not an https:// address, and secrets are sent there");
  return found;
}

ServiceUrl Fields::confidential_url_or(const std::string& name, const std::string& default_value) const {
  return has(name) ? confidential_url(name) : service_url_from(default_value).value();
}

Fields Fields::object(const std::string& name) const {
  const nlohmann::json& inner = field(name);
  if (!inner.is_object()) refuse(name, "is not a JSON object");
  return {inner, where_ + name + "."};
}

std::vector<std::string> Fields::names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : object_.items()) all.push_back(name);
  return all;
}

}  // namespace carrack::data
