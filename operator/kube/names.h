// Labels of the objects that the operator creates in Kubernetes. They never change between releases, since an operator
// must find the objects that an earlier release has made. pod_names.h has more such names.
#pragma once

#include <string_view>

#include "operator/core/pod_names.h"

namespace carrack::control {

namespace labels {
constexpr std::string_view job = "carrack.dev/job";
constexpr std::string_view job_uid = "carrack.dev/job-uid";
constexpr std::string_view role = "carrack.dev/role";
constexpr std::string_view index = "carrack.dev/index";
constexpr std::string_view attempt = "carrack.dev/attempt";
constexpr std::string_view incarnation = "carrack.dev/incarnation";
constexpr std::string_view serves = "carrack.dev/serves";  // "true": the job's Service leads to this pod
}  // namespace labels

}  // namespace carrack::control
