// Translates the API server's replies to writes into Reply. Pure.
#pragma once

#include "operator/api_server/request.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

// To a status_call().
Reply reply_to_status(const ApiReply& reply);
// To an action except CheckProcess. Also `already` for a create whose name is taken, by any object: see
// reply_to_find(). Never `conflict`.
Reply reply_to_action(const ApiReply& reply, const Action& action);
// To a CheckProcess: `refused` if the server says that the process is not valid. Else `already`, also if the server
// failed or refused for another reason.
Reply reply_to_check(const ApiReply& reply, const std::string& child);
// True if the action creates an object.
bool creates(const Action& action);
// To a find_call() for a name that was taken: `already` if the job with this UID owns the object, `refused` with the
// name of the owner if it does not, `not_now` if the object has been deleted since. A failure gives reply_to_status().
Reply reply_to_find(const ApiReply& reply, const std::string& job_uid);

}  // namespace carrack::control
