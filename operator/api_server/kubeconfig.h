// Kubeconfig files as kubectl reads them:
// https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig Of several files the first that
// has a name, or a current-context, wins. Files that they name are relative to them. What says who we are or how the
// server is reached, and is not supported, is refused by name. Pure: opens no file.
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

// What the current context leads to. A Problem's field is the path of the file that holds it.
std::variant<Access, Problem> access_from(std::span<const KubeconfigText> files);

}  // namespace carrack::control
