// What tests of streams over gRPC have in common.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>
#include <memory>
#include <string>

#include "tests/contract/endpoint_contract.h"
#include "tests/dataloader/storage/temporary_folder.h"
#include "trainer/comm/transport/grpc_endpoint.h"

namespace carrack::train {

inline constexpr FrameLimits megabytes{.control_bytes = std::size_t{1} << 20, .tail_bytes = std::size_t{4} << 20};
inline constexpr EndpointLimits generous{.accepted = megabytes, .opened = megabytes};

inline const auto the_key = std::make_shared<const Key>("the key of the tests, which is long enough");

// `address`: that at which others reach it, if it is not the one at which it listens.
inline NewEndpoint with(const EndpointLimits& limits, const MemberStart& self = the_start,
                        const std::string& address = "", bool encrypts = false) {
  return [=](Inbox& inbox) {
    return std::make_unique<GrpcEndpoint>(inbox, Identity{the_key, self, address, encrypts}, limits,
                                          [](const std::string&) {});
  };
}

inline std::string new_address() {
  static const data::TemporaryFolder folder;
  static int number = 0;
  return "unix:" + folder.path() + "/" + std::to_string(++number);
}

inline Tail tail_of(std::size_t floats) {
  const auto values = std::make_shared<const Floats>(Floats(floats, 1.5f));
  return {values, *values};
}

// The bytes that this process has in memory.
inline std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages >> pages;
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace carrack::train
