// Values that a user gives on the command line in place of those in a manifest: `--set spec.training.epochs=3`. They
// are put into the document before it is decoded, so they are checked like the manifest. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/codec/node.h"

namespace carrack::control {

struct Override {
  std::string path;  // such as spec.training.epochs, spec.data.train.files[0] or spec.data.train.files.0
  Node value;        // Node::option of all its nodes is "--set spec.training.epochs"
};

// Parses "PATH=VALUE", where VALUE is YAML. Returns a text about what is wrong if it cannot.
std::variant<Override, std::string> parse_override(std::string_view text);

// Puts the value at its path. Creates objects on the way that `document` lacks; if they have unknown names the decoder
// reports them. An index equal to the size of a list appends to it. Returns a problem if the path leads nowhere; do not
// use `document` then, as it may be changed in part.
std::optional<Problem> apply(const Override& given, Node& document);

}  // namespace carrack::control
