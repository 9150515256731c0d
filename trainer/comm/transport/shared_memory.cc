#include "trainer/comm/transport/shared_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace carrack::train {
namespace {

// Without seals the other process could shrink the file, and an access of this process would raise SIGBUS.
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

// The maximum number of descriptors that are received in one message. The kernel closes those that do not fit.
constexpr std::size_t descriptors_max = 4;

// A message of one byte with which descriptors are passed.
struct DescriptorMessage {
  DescriptorMessage() {
    header.msg_iov = &content;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
  }

  char byte = 0;
  iovec content{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(descriptors_max * sizeof(int))> control{};
  msghdr header{};
};

std::string cannot(const char* what) {
  return std::string("cannot ") + what + " shared memory: " + std::strerror(errno);
}

std::string send_descriptor(int connection, int descriptor) {
  DescriptorMessage message;
  message.header.msg_controllen = CMSG_SPACE(sizeof descriptor);
  cmsghdr* passed = CMSG_FIRSTHDR(&message.header);
  passed->cmsg_level = SOL_SOCKET;
  passed->cmsg_type = SCM_RIGHTS;
  passed->cmsg_len = CMSG_LEN(sizeof descriptor);
  std::memcpy(CMSG_DATA(passed), &descriptor, sizeof descriptor);
  return sendmsg(connection, &message.header, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? "" : cannot("pass");
}

// Returns the descriptors of the next message; empty if it contains none.
std::vector<MemberSocket> receive_descriptors(int connection) {
  DescriptorMessage message;
  if (recvmsg(connection, &message.header, MSG_CMSG_CLOEXEC) <= 0) return {};
  std::vector<MemberSocket> received;
  for (cmsghdr* passed = CMSG_FIRSTHDR(&message.header); passed != nullptr;
       passed = CMSG_NXTHDR(&message.header, passed)) {
    if (passed->cmsg_level != SOL_SOCKET || passed->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (passed->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(passed) + i * sizeof descriptor, sizeof descriptor);
      received.emplace_back(descriptor);
    }
  }
  return received;
}

// Returns why a file that another process passed cannot be the memory of a stream; empty if it can.
std::string fault_of(int file) {
  // Only files of tmpfs are accepted, as memfd_create() makes them. On another file system seals might not hold, and
  // huge pages may be unavailable when they are first touched.
  struct statfs system {};
  const int found = fcntl(file, F_GET_SEALS);
  if (fstatfs(file, &system) != 0 || system.f_type != TMPFS_MAGIC || found < 0)
    return "it passed a file that is not memory";
  if ((found & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW)) {
    return "it passed memory that may become smaller";
  }
  struct stat status {};
  if (fstat(file, &status) != 0 || status.st_size != static_cast<off_t>(SharedMemory::size)) {
    return "it passed memory of another size";
  }
  return "";
}

}  // namespace

std::variant<SharedMemory, std::string> SharedMemory::map(int file) {
  void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (base == MAP_FAILED) return cannot("map");
  return SharedMemory(static_cast<std::byte*>(base));
}

SharedMemory::~SharedMemory() {
  if (base_ != nullptr) munmap(base_, size);
}

// The first page has the counters of the side that accepted in its first half, and those of the other side in its
// second half. After the page come the rings of both sides, in the same order.
SharedSide& SharedMemory::side(StreamSide side) const {
  return *reinterpret_cast<SharedSide*>(base_ + (side == StreamSide::accepted ? 0 : page_bytes / 2));
}

std::span<std::byte> SharedMemory::ring(StreamSide side) const {
  return {base_ + page_bytes + (side == StreamSide::accepted ? 0 : ring_bytes), ring_bytes};
}

std::variant<SharedMemory, std::string> SharedMemory::send(const MemberSocket& connection) {
  const MemberSocket file(memfd_create("carrack-stream", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.descriptor() < 0 || ftruncate(file.descriptor(), size) != 0 ||
      fcntl(file.descriptor(), F_ADD_SEALS, seals) != 0) {
    return cannot("make");
  }
  auto memory = map(file.descriptor());
  if (std::holds_alternative<std::string>(memory)) return memory;
  if (std::string why = send_descriptor(connection.descriptor(), file.descriptor()); !why.empty()) return why;
  return memory;
}

std::variant<SharedMemory, std::string> SharedMemory::receive(const MemberSocket& connection,
                                                              OpeningDeadline deadline) {
  if (!wait_until_readable(connection, deadline)) return "it passed no memory";
  const std::vector<MemberSocket> files = receive_descriptors(connection.descriptor());
  if (files.empty()) return "it passed no memory";
  if (files.size() > 1) return "it passed several files";
  if (std::string why = fault_of(files.front().descriptor()); !why.empty()) return why;
  return map(files.front().descriptor());
}

}  // namespace carrack::train
