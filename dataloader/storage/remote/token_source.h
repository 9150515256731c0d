// TokenSource: the function from which GcsClient gets its OAuth bearer tokens, so that the storage need not know where
// credentials come from.
#pragma once

#include <functional>
#include <string>

namespace carrack::data {

// Returns the token for the next request. If `rejected` is not empty, the service has just rejected that token with
// status 401, and the source returns another token if it can get one. Called from many threads at the same time, and
// may block. Throws Error if it can get no token.
using TokenSource = std::function<std::string(const std::string& rejected)>;

}  // namespace carrack::data
