// Base64 with padding and the standard alphabet: decodes certificate-authority-data and the like in a kubeconfig, and
// encodes the CA certificate in the input of a credential plugin. Pure.
#pragma once

#include <optional>
#include <string>

namespace carrack::control {

// to_base64("hi") -> "aGk=", without line breaks. Accepts any bytes.
std::string to_base64(const std::string& bytes);

// Returns the decoded bytes; nullopt if the text is not base64, lacks its padding, or contains a space or tab. Ignores
// line ends. An empty text is decoded to empty bytes.
std::optional<std::string> from_base64(std::string text);

}  // namespace carrack::control
