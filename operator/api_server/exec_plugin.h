// Runs programs that print credentials, such as gke-gcloud-auth-plugin of GKE. A run takes at most 30 s and prints at
// most 1 MiB. No error contains what it has printed.
#pragma once

#include "operator/api_server/exec_credential.h"

namespace carrack::control {

// Blocks until the program of access.exec has ended. Throws Error that names the plugin, with its install hint if it is
// missing.
ExecCredential run_plugin(const Access& access, const EnvironmentMap& environment);

}  // namespace carrack::control
