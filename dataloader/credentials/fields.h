// The fields of a JSON object, read by name. What is missing or of another type is refused with the file and the path
// of the field; no value is shown. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dataloader/http/service_url.h"

namespace carrack::data {

class Fields {
 public:
  // `object` lives as long as this. `where` stands in front of a field in a refusal: "FILE: " or "FILE: a.b.".
  Fields(const nlohmann::json& object, std::string where);

  bool has(const std::string& name) const;
  // Not empty, and on one line: it may become a part of a request.
  std::string text(const std::string& name) const;
  std::string text_or(const std::string& name, const std::string& otherwise) const;
  std::vector<std::string> texts(const std::string& name) const;  // None if it is missing.
  // As it stands.
  std::string lines(const std::string& name) const;
  int number_or(const std::string& name, int otherwise) const;
  ServiceUrl url(const std::string& name) const;
  // That nobody on the way sees secrets to.
  ServiceUrl confidential_url(const std::string& name) const;
  ServiceUrl confidential_url_or(const std::string& name, const std::string& otherwise) const;
  Fields object(const std::string& name) const;
  std::vector<std::string> names() const;

  [[noreturn]] void refuse(const std::string& name, const std::string& reason) const;

 private:
  const nlohmann::json& field(const std::string& name) const;

  const nlohmann::json& object_;
  const std::string where_;
};

}  // namespace carrack::data
