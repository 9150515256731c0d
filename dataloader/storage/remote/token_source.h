// TokenSource: where a remote storage gets its bearer tokens from, so that it need not know of credentials.
#pragma once

#include <functional>
#include <string>

namespace carrack::data {

// Returns the token for the next request. `rejected` is the token that the service has just rejected with 401, or
// empty; the source then returns another token if it can get one. Called from many threads at once. Throws Error if it
// can get no token.
using TokenSource = std::function<std::string(const std::string& rejected)>;

}  // namespace carrack::data
