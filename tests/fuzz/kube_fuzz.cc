// Any bytes from files, programs and an API server: a value that can be used, or a problem in words. The first byte
// chooses the decoder.
#include <string>
#include <utility>
#include <vector>

#include "operator/api_server/exec_credential.h"
#include "operator/api_server/kubeconfig.h"
#include "operator/api_server/lines.h"
#include "operator/api_server/request.h"
#include "tests/fuzz/must.h"

namespace carrack::control {
namespace {

using fuzz::must;

std::vector<std::string> split(std::string_view bytes) {
  std::vector<std::string> parts(1);
  for (const char byte : bytes) {
    if (byte == '\0') {
      parts.emplace_back();
    } else {
      parts.back() += byte;
    }
  }
  return parts;
}

void check_problem(const Problem& problem) {
  must(!problem.field.empty() && !problem.text.empty(), "a problem says what and where");
}

void as_kubeconfig(std::string_view bytes) {
  std::vector<KubeconfigText> files;
  for (const std::string& text : split(bytes)) files.push_back({"file " + std::to_string(files.size()), text});
  const std::variant<Access, Problem> found = access_from(files);
  if (const auto* problem = std::get_if<Problem>(&found)) return check_problem(*problem);
  const auto& access = std::get<Access>(found);
  must(!access.host.empty() && access.port > 0 && access.port < 65536, "there is somebody to connect to");
  must((access.host + access.prefix).find_first_of(" \r\n") == std::string::npos, "a server adds no header of its own");
  must(access.certificate.is_set() == access.key.is_set(), "a certificate has its key");
  must(!access.exec || !access.exec->command.empty(), "a plugin is a program");
}

void as_printed(std::string_view bytes) {
  const auto found = exec_credential_from(bytes, "client.authentication.k8s.io/v1");
  if (const auto* problem = std::get_if<Problem>(&found)) return check_problem(*problem);
  const Identity& identity = std::get<ExecCredential>(found).identity;
  must(!identity.token.empty() || !identity.key.empty(), "a credential proves something");
}

void as_status(std::string_view bytes) {
  must(!status_of({404, std::string(bytes), {}}).message.empty(), "a refusal has words");
}

void as_lines(std::string_view bytes) {
  constexpr std::size_t longest = 16;
  std::string whole;
  std::vector<std::string> seen;
  const OnLine on_line = [&](std::string_view line) {
    must(line.size() <= longest, "lines are bounded");
    seen.emplace_back(line);
    return true;
  };
  const std::vector<std::string> parts = split(bytes);
  LineSplitter pieces(longest);
  auto fed = LineSplitter::Result::more;
  for (const std::string& part : parts) {
    whole += part;
    if (fed == LineSplitter::Result::more) fed = pieces.feed(part, on_line);
  }
  const std::vector<std::string> in_pieces = std::exchange(seen, {});
  must(LineSplitter(longest).feed(whole, on_line) == fed && seen == in_pieces,
       "it does not matter where a stream is cut");
}

}  // namespace
}  // namespace carrack::control

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      carrack::control::as_kubeconfig(bytes);
      break;
    case 1:
      carrack::control::as_printed(bytes);
      break;
    case 2:
      carrack::control::as_status(bytes);
      break;
    default:
      carrack::control::as_lines(bytes);
  }
  return 0;
}
