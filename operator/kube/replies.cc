#include "operator/kube/replies.h"

#include <nlohmann/json.hpp>

#include "operator/api_server/client.h"
#include "operator/kube/json_path.h"
#include "operator/kube/objects.h"

namespace carrack::control {
namespace {

constexpr int bad_request = 400;
constexpr int not_found = 404;
constexpr int conflict = 409;
constexpr int unprocessable = 422;
constexpr int too_many = 429;

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != text.npos;
}

// A server that is overloaded does not process the request, and a server that cannot reach a webhook stores nothing.
// Both cases are `not_now`. Any other server error may come after the object was stored.
WriteResult result_of_failure(int status, const std::string& message) {
  if (status == conflict) return WriteResult::conflict;
  if (status == too_many || contains(message, "failed calling webhook")) return WriteResult::not_now;
  return status >= 500 ? WriteResult::unanswered : WriteResult::refused;
}

// True if the object, or the label that a patch removes, does not exist any more.
bool is_gone(const ApiReply& reply, const Action& action) {
  const bool has_no_label = reply.status == unprocessable && std::holds_alternative<WithdrawProcess>(action);
  return has_no_label || (reply.status == not_found && !creates(action));
}

// Removes the name of the object from a message such as `pods "NAME" is forbidden: WORDS`. Members that the server
// refuses for the same reason then have equal messages, which the status reports as one.
std::string without_name(const std::string& message, const std::string& name) {
  for (const char* verdict : {"\" is forbidden: ", "\" is invalid: "}) {
    const std::string named = "\"" + name + verdict;
    if (const std::size_t at = message.find(named); at != message.npos) return message.substr(at + named.size());
  }
  return message;
}

// True for refusals that end when a quota has room again. False for "failed quota": that pod has to be changed, since
// it lacks a request that the quota counts.
bool is_about_quotas(const std::string& message) {
  return contains(message, "exceeded quota") || contains(message, "status unknown for quota") ||
         contains(message, "resourcequotas");
}

// True if the pod is not valid or has fields that the server does not know. Policies and webhooks use the same codes,
// so their messages are excluded.
bool is_about_the_pod(const ApiReply& reply, const std::string& message) {
  const bool has_code = reply.status == bad_request || reply.status == unprocessable;
  return has_code && !contains(message, "admission webhook") && !contains(message, "denied request");
}

// Returns the words about the field in `Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown
// field "spec.a"`.
std::string without_decoder(const std::string& message) {
  for (const std::string_view prefix : {"strict decoding error: ", "cannot be handled as a Pod: "}) {
    if (const std::size_t at = message.find(prefix); at != message.npos) return message.substr(at + prefix.size());
  }
  return message;
}

}  // namespace

bool creates(const Action& action) {
  return std::holds_alternative<CreateService>(action) || std::holds_alternative<CreateConfig>(action) ||
         std::holds_alternative<CreateKey>(action) || std::holds_alternative<CreateProcess>(action);
}

Reply reply_to_check(const ApiReply& reply, const std::string& child) {
  if (is_success(reply)) return {.result = WriteResult::already};
  const std::string message = status_of(reply).message;
  if (!is_about_the_pod(reply, message)) return {.result = WriteResult::already};
  return {.result = WriteResult::refused, .error = without_decoder(without_name(message, child)), .is_invalid = true};
}

Reply reply_to_status(const ApiReply& reply) {
  if (is_success(reply)) return {WriteResult::done, version_of(parse_object(reply.body)), ""};
  const std::string message = status_of(reply).message;
  return {result_of_failure(reply.status, message), 0, message};
}

Reply reply_to_action(const ApiReply& reply, const Action& action) {
  if (is_gone(reply, action) || status_of(reply).reason == "AlreadyExists") return {WriteResult::already, 0, ""};
  Reply read = reply_to_status(reply);
  // A conflict here is about a quota, not about the object: the server changes a quota's count by compare-and-set, and
  // gives up if too many others change it at the same time.
  if (read.result == WriteResult::conflict) read.result = WriteResult::refused;
  read.error = without_name(read.error, child_of(action));
  read.over_quota = read.result == WriteResult::refused && is_about_quotas(read.error);
  return read;
}

Reply reply_to_find(const ApiReply& reply, const std::string& job_uid) {
  if (!is_success(reply)) return reply_to_status(reply);
  const nlohmann::json list = parse_object(reply.body);
  const nlohmann::json& items = json_at(list, {"items"});
  if (!items.is_array() || items.empty()) return {WriteResult::not_now, 0, "an object of that name was just deleted"};
  if (owner_of(items[0]) == job_uid) return {WriteResult::already, 0, ""};
  const std::string owner = controller_of(items[0]);
  const std::string whose = owner.empty() ? "has no controller" : "belongs to " + owner;
  return {WriteResult::refused, 0, "the name is taken by an object that " + whose + "; delete that object"};
}

}  // namespace carrack::control
