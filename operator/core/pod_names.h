// Names, ports and paths that the operator itself uses in the pods of a job. check_pod_template() refuses pod templates
// that use them; with strategy Own not the ports, the volume, its folder and POD_IP. They never change between
// releases, since an operator must find the objects that an earlier release has made.
#pragma once

#include <cstdint>
#include <string_view>

namespace carrack::control {

constexpr std::string_view trainer_container = "trainer";
constexpr std::string_view label_prefix = "carrack.dev/";
constexpr std::string_view managed_by_label = "app.kubernetes.io/managed-by";
constexpr std::string_view member_port_name = "members";
constexpr std::uint16_t member_port = 7400;
constexpr std::string_view progress_port_name = "progress";
constexpr std::uint16_t progress_port = 7401;
constexpr std::string_view health_port_name = "health";
constexpr std::uint16_t health_port = 7402;
constexpr std::string_view job_volume = "job";            // with the job's configuration and, if it has one, its key
constexpr std::string_view job_folder = "/etc/carrack";   // where that volume is mounted
constexpr std::string_view pod_ip_variable = "POD_IP";    // the pod's own address
constexpr std::string_view variable_prefix = "CARRACK_";  // for environment variables: launch.h, own_environment.h

}  // namespace carrack::control
