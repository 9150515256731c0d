// OwnProgram: the fields of `spec` that only a job with strategy Own has. Its pods run the user's own program, such as
// a TensorFlow or PyTorch script, in place of carrack-trainer. Image and command are in the pod templates of the roles.
#pragma once

namespace carrack::control {

// How processes find each other: the environment variables that they get, and the port on which they listen by default
// (docs/reference/own_images.md). With pytorch all members also restart together, and there are no parameter servers.
enum class Framework { none, tensorflow, pytorch };

// Which processes must exit with 0 for the job to succeed. `leader`: the coordinator, or worker 0 if there is none.
// `all_workers`: all workers, and the coordinator if there is one. Parameter servers never count.
enum class SuccessPolicy { leader, all_workers };

// The last three fields are the numbers of members of each role.
struct OwnProgram {
  Framework framework = Framework::none;
  SuccessPolicy success = SuccessPolicy::leader;
  int coordinators = 0;  // 0 or 1
  int ps = 0;
  int workers = 1;
  bool operator==(const OwnProgram&) const = default;
};

}  // namespace carrack::control
