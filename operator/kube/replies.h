// What the API server's replies say of a write. Pure.
#pragma once

#include "operator/api_server/request.h"
#include "operator/runtime/cluster.h"

namespace carrack::control {

Reply reply_to_status(const ApiReply& reply);
Reply reply_to_action(const ApiReply& reply, const Action& action);

}  // namespace carrack::control
