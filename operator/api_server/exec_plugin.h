// Runs programs that print credentials, such as gke-gcloud-auth-plugin of GKE. A program may take 30 s and print 1 MiB.
// At the end of a run its process group is killed. Messages do not contain what it has printed.
#pragma once

#include "operator/api_server/exec_credential.h"

namespace carrack::control {

// Runs the program of access.exec, which must be set, and waits for its end. The program gets the variables of
// `environment`, and those of access.exec. Throws Error with the plugin's name, and with its install hint if it cannot
// be started.
ExecCredential run_plugin(const Access& access, const EnvironmentMap& environment);

}  // namespace carrack::control
