// Runs the credential plugin of a kubeconfig (users[].user.exec), such as gke-gcloud-auth-plugin of GKE. Credentials
// calls it when it needs a new token. A program may take 30 s and print 1 MiB. At its end, or at a limit, its whole
// process group is killed. Messages never contain the credentials that it has printed.
#pragma once

#include "operator/api_server/exec_credential.h"

namespace carrack::control {

// Runs the program of access.exec, which must be set, waits for its end, and returns what it has printed, decoded. Its
// environment is `environment` with the variables of access.exec and KUBERNETES_EXEC_INFO. Its standard input is empty;
// its standard error is that of this process. Throws Error with Blame::user if the program cannot be started, exceeds a
// limit, fails or prints no valid credential, or if the CA certificate for its input cannot be read; with
// Blame::platform if no pipe can be made.
ExecCredential run_plugin(const Access& access, const EnvironmentMap& environment);

}  // namespace carrack::control
