// Runs programs that print credentials, as GKE's gke-gcloud-auth-plugin. A run is bounded in time and in what it may
// print; what it prints is in no error.
#pragma once

#include "operator/api_server/exec_credential.h"

namespace carrack::control {

// Throws Error, which names the plugin, and says how to install it where it is missing.
ExecCredential run_plugin(const Access& access, const EnvironmentMap& environment);

}  // namespace carrack::control
