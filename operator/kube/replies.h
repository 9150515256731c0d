// What the API server's replies say of a write. Pure.
#pragma once

#include "operator/api_server/request.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

Reply reply_to_status(const ApiReply& reply);
// `already` also for a create of a name that is taken, by whomever.
Reply reply_to_action(const ApiReply& reply, const Action& action);
// To a CheckProcess: `refused` if the process would not be valid, else `already`.
Reply reply_to_check(const ApiReply& reply, const std::string& child);
bool creates(const Action& action);
// From the list of objects with a name that was taken: `already` if the job with that UID owns the object; else the
// create is refused, with the words whose it is.
Reply reply_to_find(const ApiReply& reply, const std::string& job_uid);

}  // namespace carrack::control
