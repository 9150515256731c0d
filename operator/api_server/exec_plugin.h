// Runs programs that print credentials, such as gke-gcloud-auth-plugin of GKE. A program may take 30 s and print 1 MiB.
// When the run ends, in whatever way, its process group is killed. Messages do not contain what it has printed.
#pragma once

#include "operator/api_server/exec_credential.h"

namespace carrack::control {

// Runs the program of access.exec, which must be set, and waits for its end. Its environment is `environment` with the
// variables of access.exec and KUBERNETES_EXEC_INFO; its input is empty; its standard error is that of this process.
// Throws Error with Blame::user if the program cannot be started, exceeds a limit, fails or prints no credential, or if
// the certificate authority that it is to get cannot be read; with Blame::platform if no pipe can be made.
ExecCredential run_plugin(const Access& access, const EnvironmentMap& environment);

}  // namespace carrack::control
