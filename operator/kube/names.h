// The names of the labels on the objects that the operator creates in Kubernetes. All objects have job and job_uid; the
// next four are only on pods. They never change between releases, since an operator must find the objects that an
// earlier release has created. pod_names.h has more such names.
#pragma once

#include <string_view>

#include "operator/core/pod_names.h"

namespace carrack::control {

namespace labels {
constexpr std::string_view job = "carrack.dev/job";                  // the name of the TrainingJob
constexpr std::string_view job_uid = "carrack.dev/job-uid";          // the UID of the TrainingJob
constexpr std::string_view role = "carrack.dev/role";                // coordinator, ps or worker
constexpr std::string_view index = "carrack.dev/index";              // of the member within its role, from 0
constexpr std::string_view attempt = "carrack.dev/attempt";          // number of restarts of the whole job, from 0
constexpr std::string_view incarnation = "carrack.dev/incarnation";  // starts of the member in the attempt, from 1
// "true": the job's Service leads to this pod. The operator removes the label to withdraw the pod from the Service.
constexpr std::string_view serves = "carrack.dev/serves";
}  // namespace labels

}  // namespace carrack::control
