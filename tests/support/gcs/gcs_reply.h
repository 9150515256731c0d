// Replies in the form GCS gives them. Pure.
#pragma once

#include <string>

#include "tests/support/gcs/preconditions.h"
#include "tests/support/gcs/upstream.h"

namespace carrack::tests {

// The JSON API's error body with the documented reason of that status.
Reply error_reply(int status, const std::string& message);
// 412 or 304.
Reply refusal_of(Verdict verdict);
// What the XML API answers where the JSON API answers this.
Reply as_xml(const Reply& json_reply);
// 308, with how much has been persisted.
Reply incomplete_reply(const std::optional<std::string>& persisted_range);

}  // namespace carrack::tests
