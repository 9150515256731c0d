// The option --set of `carrack run`, `validate`, `plan` and `step`, such as `--set spec.training.epochs=3`: a value
// that replaces one in the manifest. apply() changes the parsed manifest before that is decoded, so these values are
// checked like those of the manifest. Pure.
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

// Parses "PATH=VALUE", where VALUE is YAML, such as [1, 2]. If `text` is wrong, returns a message for the user that
// says why. An empty VALUE is wrong; "" in quotes is an empty text.
std::variant<Override, std::string> parse_override(std::string_view text);

// Puts the value at its path in `document`, in place of any value there, and returns nullopt. Creates objects and lists
// on the path that `document` lacks; the decoder reports them if their names are unknown. An index equal to the size of
// a list appends to it. Returns a problem if the path cannot be followed, such as an index beyond the end; do not use
// `document` then, as it may be changed in part.
std::optional<Problem> apply(const Override& given, Node& document);

}  // namespace carrack::control
