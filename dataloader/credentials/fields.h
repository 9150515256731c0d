// Fields: reads the fields of a JSON object. A field that is missing or has another type throws Refused with the file
// and the path of the field, but without its value. A null counts as missing. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dataloader/http/service_url.h"

namespace carrack::data {

class Fields {
 public:
  // `object` must outlive this. Throws Refused if it is no JSON object, as after a failed parse. `where` is put before
  // a field's name in messages: "FILE: " or "FILE: a.b.".
  Fields(const nlohmann::json& object, std::string where);

  bool has(const std::string& name) const;
  // A string that is not empty and holds no control characters, so that it can become part of a request.
  std::string text(const std::string& name) const;
  std::string text_or(const std::string& name, const std::string& default_value) const;
  // Empty if the field is missing.
  std::vector<std::string> texts(const std::string& name) const;
  // A string that is not empty; it may hold line breaks.
  std::string raw_text(const std::string& name) const;
  // A whole number from 0 to 1,000,000.
  int number_or(const std::string& name, int default_value) const;
  ServiceUrl url(const std::string& name) const;
  // An https:// URL, or an http:// URL of this machine: secrets may be sent there.
  ServiceUrl confidential_url(const std::string& name) const;
  ServiceUrl confidential_url_or(const std::string& name, const std::string& default_value) const;
  Fields object(const std::string& name) const;
  // The names of all fields.
  std::vector<std::string> names() const;

  // Throws Refused with the message "<where><name>: <reason>".
  [[noreturn]] void refuse(const std::string& name, const std::string& reason) const;

 private:
  const nlohmann::json& field(const std::string& name) const;

  const nlohmann::json& object_;
  const std::string where_;
};

}  // namespace carrack::data
