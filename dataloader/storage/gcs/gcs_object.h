// GcsObject: what the reading of an object of gs:// must know of the service: the URL for a version, the headers with
// the version and the checksum, and the words of errors. Its base class RemoteObject (remote_object.h) makes the range
// requests and checks the replies. The version of an object is its generation.
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
