// The variables of this process, for tests that ask a real API server.
#pragma once

#include <unistd.h>

#include "operator/api_server/access.h"

namespace carrack::control {

inline EnvironmentMap environment() {
  EnvironmentMap all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    all[text.substr(0, text.find('='))] = text.substr(text.find('=') + 1);
  }
  return all;
}

}  // namespace carrack::control
