// Translates the API server's replies to writes into Reply. Pure.
#pragma once

#include "operator/api_server/request.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// Translates the reply to a status_call().
Reply reply_to_status(const ApiReply& reply);
// Translates the reply to any action except CheckProcess. A create whose name is taken is `already`, whoever owns the
// object; the caller then reads the owner by find_call(). Deletes and withdrawals are `already` if the object does not
// exist, and withdrawals if the process was withdrawn before. Never `conflict`.
Reply reply_to_action(const ApiReply& reply, const Action& action);
// Translates the reply to a CheckProcess for the process named `child`: `refused` if the server says that the process
// is not valid. Else `already`, even if the server failed or refused for another reason.
Reply reply_to_check(const ApiReply& reply, const std::string& child);
// True if the action creates an object; false for CheckProcess.
bool creates(const Action& action);
// Translates the reply to a find_call() for a name that was taken: `already` if the job with this UID owns the object,
// `refused` with the name of the owner if another object or nobody owns it, `not_now` if it has been deleted since. A
// reply that is not a success is translated by reply_to_status().
Reply reply_to_find(const ApiReply& reply, const std::string& job_uid);

}  // namespace carrack::control
