// Translates the API server's HTTP replies to writes into Reply (cluster.h), which says whether the write was done. The
// requests are those of calls.h. Pure.
#pragma once

#include "operator/api_server/request.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// Translates the reply to a status_call(): `conflict` if the job has changed since it was read (409), `not_now` if the
// server is overloaded or cannot call a webhook, `unanswered` for other server errors, after which the write may or may
// not have been done, and else `refused`.
Reply reply_to_status(const ApiReply& reply);
// Translates the reply to an action_call(), create_key_call() or create_network_policy_call(), except for CheckProcess.
// A create is `already` if an object of that name exists, even if it is not the job's. The caller then checks the owner
// by find_call() or find_network_policy_call(), but not that of a Secret. Deletes and withdrawals are `already` if the
// object does not exist, and withdrawals if the process was withdrawn before. Never `conflict`.
Reply reply_to_action(const ApiReply& reply, const Action& action);
// Translates the reply to a CheckProcess for the process named `child`: `refused` if the server says that the process
// is not valid. Else `already`, even if the server failed or refused for another reason.
Reply reply_to_check(const ApiReply& reply, const std::string& child);
// True if the action creates an object; false for CheckProcess.
bool creates(const Action& action);
// Translates the reply to a find_call() or find_network_policy_call(), after a create whose name exists: `already` if
// the job with this UID owns the object, `refused` with the name of the owner if another object or nobody owns it,
// `not_now` if it has been deleted since. A reply that is not a success is translated by reply_to_status().
Reply reply_to_find(const ApiReply& reply, const std::string& job_uid);

}  // namespace carrack::control
