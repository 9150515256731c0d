// The program that a job with strategy Own runs in place of the trainer. Its image and command are in the pod templates
// of the roles.
#pragma once

namespace carrack::control {

// Selects the environment variables by which processes find each other; see docs/reference/own_images.md.
enum class Framework { none, tensorflow, pytorch };

// Whose success makes the job succeed. `all_workers` includes the coordinator, if the job has one.
enum class SuccessPolicy { leader, all_workers };

struct OwnProgram {
  Framework framework = Framework::none;
  SuccessPolicy success = SuccessPolicy::leader;
  int coordinators = 0;  // 0 or 1
  int ps = 0;
  int workers = 1;
  bool operator==(const OwnProgram&) const = default;
};

}  // namespace carrack::control
