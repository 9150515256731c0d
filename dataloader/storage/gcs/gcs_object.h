// GcsObject: the RemoteObject of Google Cloud Storage: it makes the requests for parts of an object. The version is a
// generation.
#pragma once

#include <optional>
#include <string>

#include "dataloader/storage/remote/remote_object.h"

namespace carrack::data {

class GcsObject : public RemoteObject {
 public:
  // `target` is the object's path in the JSON API, percent-encoded and without a query.
  GcsObject(std::string url, std::string target, std::optional<Version> version)
      : RemoteObject(std::move(url), std::move(version)), target_(std::move(target)) {}

 protected:
  HttpRequest read_request(const std::optional<Version>& version) const override;
  ReplyHead parse_head(const HttpReply& reply) const override;
  [[noreturn]] void throw_unexpected_reply(const HttpReply& reply) const override;

 private:
  const std::string target_;
};

}  // namespace carrack::data
