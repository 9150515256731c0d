// Reads kubeconfig files as kubectl does. See
// https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig
// If several files define the same name, or a current-context, the first file wins. Paths in a file are relative to its
// folder. A setting of the user or cluster that is known but not supported, such as proxy-url, is a problem. Pure:
// opens no file.
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

// Returns the access of the context with this name, or of the current context if `context` is empty. Returns the first
// problem if there is one; its field is the path of the file with the problem, or KUBECONFIG if `files` is empty.
std::variant<Access, Problem> access_from(std::span<const KubeconfigText> files, const std::string& context = "");

}  // namespace carrack::control
