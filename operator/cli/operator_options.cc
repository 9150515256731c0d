#include "operator/cli/operator_options.h"

#include <algorithm>
#include <string_view>

namespace carrack::control {
namespace {

// The characters that the API server accepts in names of environment variables and namespaces. With another variable it
// would refuse every pod; with another namespace the operator would watch one that cannot exist.
constexpr const char* variable_characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
constexpr const char* namespace_characters = "abcdefghijklmnopqrstuvwxyz0123456789-";

bool is_variable(const std::string& name) {
  const bool begins_correctly = !name.empty() && (name[0] < '0' || name[0] > '9');
  return begins_correctly && name.find_first_not_of(variable_characters) == name.npos;
}

bool is_namespace(const std::string& name) {
  const bool ends_correctly = !name.empty() && name.front() != '-' && name.back() != '-';
  return ends_correctly && name.size() <= 63 && name.find_first_not_of(namespace_characters) == name.npos;
}

}  // namespace

std::variant<OperatorOptions, std::string> parse_operator_options(std::span<char* const> arguments) {
  OperatorOptions options;
  for (std::size_t at = 0; at < arguments.size(); at += 2) {
    const std::string_view option = arguments[at];
    const bool is_known = option == "--namespace" || option == "--trainer-image" || option == "--trainer-env" ||
                          option == "--network-policies" || option == "--listen" || option == "--probes";
    if (!is_known) return "does not know '" + std::string(option) + "'; `carrack-operator --help` lists what it does";
    if (at + 1 == arguments.size() || *arguments[at + 1] == '\0') return std::string(option) + ": a value is missing";
    const std::string value = arguments[at + 1];
    if (option == "--namespace") {
      if (!is_namespace(value)) return "--namespace: '" + value + "' is not a name of a namespace";
      const auto& others = options.namespaces;
      if (std::find(others.begin(), others.end(), value) != others.end())
        return "--namespace: '" + value + "' is given twice";
      options.namespaces.push_back(value);
    }
    if (option == "--network-policies") {
      if (!is_namespace(value)) return "--network-policies: '" + value + "' is not a name of a namespace";
      options.pods.operator_namespace = value;
    }
    if (option == "--trainer-image") options.pods.image = value;
    if (option == "--listen") options.listen = value;
    if (option == "--probes") options.probes = value;
    if (option == "--trainer-env") {
      const std::size_t equals = value.find('=');
      if (equals == value.npos || !is_variable(value.substr(0, equals)))
        return "--trainer-env: '" + value + "' is not NAME=VALUE";
      options.pods.environment.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    }
  }
  if (options.pods.image.empty()) return "--trainer-image is missing: the image of every pod of a job";
  return options;
}

}  // namespace carrack::control
