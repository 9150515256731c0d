#include "dataloader/storage/gcs/gcs_object.h"

#include "dataloader/storage/gcs/gcs_client.h"
#include "dataloader/storage/gcs/gcs_text.h"

namespace carrack::data {

HttpRequest GcsObject::read_request(const std::optional<Version>& version) const {
  const std::string condition = version ? "&ifGenerationMatch=" + percent_encoded(version->text) : "";
  return {.method = "GET", .target = target_ + "?alt=media" + condition};
}

RemoteObject::ReplyHead GcsObject::parse_head(const HttpReply& reply) const {
  ReplyHead head;
  if (auto generation = reply.header("x-goog-generation")) head.version = Version{*std::move(generation)};
  if (const auto hash = reply.header("x-goog-hash")) head.crc32c_base64 = crc32c_base64_from(*hash);
  return head;
}

void GcsObject::throw_unexpected_reply(const HttpReply& reply) const {
  throw_unexpected(url(), reply);
}

}  // namespace carrack::data
