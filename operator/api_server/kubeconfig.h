// Parses the text of kubeconfig files and merges them as kubectl does; find_access() (access.h) reads the files. See
// https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig
// If several files define the same name, or a current-context, the first file wins. Paths in a file are relative to its
// folder. A setting of the chosen cluster or user that this does not support, such as proxy-url, is a problem. Unknown
// fields are ignored. Pure: opens no file, so the files of secrets may be missing.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "operator/api_server/access.h"
#include "operator/core/validate.h"

namespace carrack::control {

struct KubeconfigText {
  std::string path;  // for messages, and to resolve the paths in the text
  std::string text;
};

// Returns the access of the context with this name, or of current-context if `context` is empty. Otherwise returns the
// first problem, such as a context that does not exist. Its field is the path of the file with the problem (of the
// first file if something is in none of them), or "KUBECONFIG" if `files` is empty.
std::variant<Access, Problem> access_from(std::span<const KubeconfigText> files, const std::string& context = "");

}  // namespace carrack::control
