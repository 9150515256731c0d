// GcsObject: the part of reading from gs:// that knows the service. It makes the HTTP requests for byte ranges of an
// object and interprets the replies; RemoteObject (remote_object.h), its base class, and the other classes of remote/
// do the rest. The version of an object is its generation.
#pragma once

#include <optional>
#include <string>

#include "dataloader/storage/remote/remote_object.h"

namespace carrack::data {

class GcsObject : public RemoteObject {
 public:
  // `target` is the object's path in the JSON API, percent-encoded and without a query: /storage/v1/b/BUCKET/o/NAME.
  // `version` is the version to read; nullopt: that of the first reply.
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
