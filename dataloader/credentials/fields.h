// Fields: a checked view of a JSON object, by which credentials.cc reads a credential file. A missing or invalid field
// becomes a message for the user: "key.json: client_email: is missing". The message does not have the field's value,
// which may be secret, unless the caller of refuse() puts it in.
//
// A field whose value is null counts as missing. All functions but has() and names() throw Refused for a field of
// another type or with a value that they do not return. They also throw it for a missing field, unless they return a
// default or an empty list.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "dataloader/http/service_url.h"

namespace carrack::data {

class Fields {
 public:
  // `object` must outlive this. Throws Refused if it is not a JSON object, for example because parsing failed. Messages
  // put `where` before a field's name: "FILE: " or "FILE: a.b.".
  Fields(const nlohmann::json& object, std::string where);

  // False if the field is missing or null.
  bool has(const std::string& name) const;
  // Returns a string. It is not empty and has no control characters, so it can become part of a request.
  std::string text(const std::string& name) const;
  std::string text_or(const std::string& name, const std::string& default_value) const;
  // Returns a list of any strings; empty if the field is missing.
  std::vector<std::string> texts(const std::string& name) const;
  // Returns a string that is not empty; it may have control characters such as line breaks.
  std::string raw_text(const std::string& name) const;
  // Returns a whole number from 0 to 1,000,000; the default if the field is missing.
  int number_or(const std::string& name, int default_value) const;
  // Returns an http:// or https:// URL.
  ServiceUrl url(const std::string& name) const;
  // Returns a URL to which secrets may be sent: https://, or http:// to this machine. The default must be a valid URL.
  ServiceUrl confidential_url(const std::string& name) const;
  ServiceUrl confidential_url_or(const std::string& name, const std::string& default_value) const;
  // Returns the fields of a field that is an object. The JSON object that was passed to the constructor must outlive
  // them.
  Fields object(const std::string& name) const;
  // Returns the names of all fields, also of fields that are null.
  std::vector<std::string> names() const;

  // Throws Refused with the message "<where><name>: <reason>".
  [[noreturn]] void refuse(const std::string& name, const std::string& reason) const;

 private:
  const nlohmann::json& field(const std::string& name) const;

  const nlohmann::json& object_;
  const std::string where_;
};

}  // namespace carrack::data
