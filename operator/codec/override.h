// Reads the values that a user gives on the command line in place of those in a manifest, such as
// `--set spec.training.epochs=3`, and puts them into the document. That is done before it is decoded, so they are
// checked like the manifest. Pure.
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

// Parses "PATH=VALUE", where VALUE is YAML. If `text` is wrong, returns a message that says why. An empty VALUE is
// wrong.
std::variant<Override, std::string> parse_override(std::string_view text);

// Puts the value at its path, in place of any value there. Creates objects and lists on the path that `document` lacks;
// the decoder reports them if their names are unknown. An index equal to the size of a list appends to it. Returns a
// problem if the path cannot be followed; do not use `document` then, as it may be changed in part.
std::optional<Problem> apply(const Override& given, Node& document);

}  // namespace carrack::control
