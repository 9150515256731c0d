// Reads kubeconfig files as kubectl does, see
// https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig
// Of several files the first that has a name, or a current-context, wins. Paths in a file are relative to it. Settings
// of the user or the server that are not supported are refused by name. Pure: opens no file.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "operator/api_server/access.h"
#include "operator/core/validate.h"

namespace carrack::control {

struct KubeconfigText {
  std::string path;
  std::string text;
};

// The access of the context with this name, or of the current context if it is empty. The field of a Problem is the
// path of the file that has it.
std::variant<Access, Problem> access_from(std::span<const KubeconfigText> files, const std::string& context = "");

}  // namespace carrack::control
