// Base64 with padding, as Kubernetes writes bytes in YAML and JSON. Pure.
#pragma once

#include <optional>
#include <string>

namespace carrack::control {

std::string base64_of(const std::string& bytes);

// Nothing for what is no base64; line ends in it do not count.
std::optional<std::string> from_base64(std::string text);

}  // namespace carrack::control
