// Base64 with padding, as Kubernetes encodes bytes in YAML and JSON. Pure.
#pragma once

#include <optional>
#include <string>

namespace carrack::control {

std::string to_base64(const std::string& bytes);

// Returns nullopt if the text is not base64, or lacks padding. Line ends are ignored; a space or tab is an error.
std::optional<std::string> from_base64(std::string text);

}  // namespace carrack::control
