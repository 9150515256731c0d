#include "tests/support/gcs/gcs_reply.h"

#include <nlohmann/json.hpp>

namespace carrack::tests {
namespace {

using nlohmann::json;

// https://cloud.google.com/storage/docs/json_api/v1/status-codes
std::string reason_of(int status) {
  switch (status) {
    case 401:
      return "authError";
    case 404:
      return "notFound";
    case 410:
      return "gone";
    case 412:
      return "conditionNotMet";
    case 429:
      return "rateLimitExceeded";
    case 500:
      return "internalError";
    case 503:
      return "backendError";
    default:
      return "invalid";
  }
}

// https://cloud.google.com/storage/docs/xml-api/reference-status
std::string code_of(int status) {
  switch (status) {
    case 400:
      return "InvalidArgument";
    case 404:
      return "NoSuchKey";
    case 412:
      return "PreconditionFailed";
    case 429:
      return "SlowDown";
    case 503:
      return "ServiceUnavailable";
    default:
      return "InternalError";
  }
}

void add(Fields& headers, const std::string& name, const json& object, const std::string& key) {
  if (object.contains(key)) headers.emplace_back(name, object[key].get<std::string>());
}

}  // namespace

Reply error_reply(int status, const std::string& message) {
  const json error{{"code", status},
                   {"message", message},
                   {"errors", {{{"domain", "global"}, {"reason", reason_of(status)}, {"message", message}}}}};
  return {status, {{"Content-Type", "application/json; charset=UTF-8"}}, json{{"error", error}}.dump()};
}

Reply refusal_of(Verdict verdict) {
  if (verdict == Verdict::not_modified) return {304, {}, ""};
  return error_reply(412, "At least one of the pre-conditions you specified did not hold.");
}

Reply as_xml(const Reply& json_reply) {
  if (json_reply.status >= 400) {
    const std::string code = code_of(json_reply.status);
    const std::string error = "<Error><Code>" + code + "</Code><Message>" + code + "</Message></Error>";
    return {json_reply.status,
            {{"Content-Type", "application/xml; charset=UTF-8"}},
            "<?xml version='1.0' encoding='UTF-8'?>" + error};
  }
  Reply reply{json_reply.status, {}, ""};
  const json object = json::parse(json_reply.body, nullptr, false);
  if (!object.is_object()) return reply;
  add(reply.headers, "x-goog-generation", object, "generation");
  add(reply.headers, "x-goog-metageneration", object, "metageneration");
  add(reply.headers, "x-goog-stored-content-length", object, "size");
  if (object.contains("crc32c"))
    reply.headers.emplace_back("x-goog-hash", "crc32c=" + object["crc32c"].get<std::string>());
  if (object.contains("md5Hash"))
    reply.headers.emplace_back("x-goog-hash", "md5=" + object["md5Hash"].get<std::string>());
  if (object.contains("etag")) reply.headers.emplace_back("ETag", "\"" + object["etag"].get<std::string>() + "\"");
  return reply;
}

Reply incomplete_reply(const std::optional<std::string>& persisted_range) {
  Reply reply{308, {}, ""};
  if (persisted_range) reply.headers.emplace_back("Range", *persisted_range);
  return reply;
}

}  // namespace carrack::tests
