// A fake-gcs-server of one test: on a free port of loopback, plain http, in memory.
//
// It ends with the object, and with the process (more exactly, the thread) that started it, however that ends; so start
// it on a thread that outlives its use.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace carrack::tests {

// Where go_programs.py puts the server.
std::filesystem::path fake_gcs_program();

class FakeGcs {
 public:
  // Throws std::runtime_error if the server does not answer within 20 seconds, or refuses a bucket.
  explicit FakeGcs(const std::vector<std::string>& buckets);
  ~FakeGcs();
  FakeGcs(const FakeGcs&) = delete;
  FakeGcs& operator=(const FakeGcs&) = delete;

  const std::string& url() const { return url_; }

 private:
  bool start();
  void stop();

  pid_t process_ = -1;
  std::string url_;
};

}  // namespace carrack::tests
