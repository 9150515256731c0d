// A value that a user gives on the command line in place of one in a manifest, `--set spec.training.epochs=3`. It is
// put into the document before that is decoded, so it is checked as what the manifest holds. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "operator/codec/node.h"

namespace carrack::control {

struct Override {
  std::string path;  // spec.training.epochs, spec.data.train.files[0] or spec.data.train.files.0
  Node value;        // each of its nodes has the option, "--set spec.training.epochs"
};

// Reads "PATH=VALUE", where VALUE is YAML. Returns instead what is wrong with it.
std::variant<Override, std::string> parse_override(std::string_view text);

// Puts the value at its path. Objects on the way that the document lacks are made; the decoder finds those of unknown
// names. A list grows by the index behind its end. Returns the problem of a path that leads nowhere; the
// document is then of no use.
std::optional<Problem> apply(const Override& given, Node& document);

}  // namespace carrack::control
