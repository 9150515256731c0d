#include "operator/api_server/access.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "operator/api_server/kubeconfig.h"
#include "operator/error.h"

namespace carrack::control {
namespace {

std::string variable(const EnvironmentMap& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? "" : found->second;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(text << file.rdbuf()))) {
    throw Error(Blame::user, path + ": cannot be read: " + std::strerror(errno));
  }
  return text.str();
}

// Returns true also if it cannot find out whether the file exists, because a folder cannot be entered. Reading the file
// then fails with a message that says so.
bool may_exist(const std::string& path) {
  std::error_code failed;
  return std::filesystem::exists(path, failed) || failed;
}

// Returns the files among `paths`, which are separated by ':'. Skips those that do not exist, as KUBECONFIG may name
// such files.
std::vector<KubeconfigText> existing_files(const std::string& paths) {
  std::vector<KubeconfigText> files;
  std::istringstream list(paths);
  for (std::string path; std::getline(list, path, ':');) {
    if (!path.empty() && may_exist(path)) files.push_back({path, read_file(path)});
  }
  return files;
}

// `advice` is the end of the message if none of the files exists.
Access kubeconfig_access(const std::string& paths, const std::string& context, const std::string& advice) {
  const std::vector<KubeconfigText> files = existing_files(paths);
  if (files.empty()) throw Error(Blame::user, paths + ": no such file; " + advice);
  std::variant<Access, Problem> found = access_from(files, context);
  if (const auto* problem = std::get_if<Problem>(&found)) {
    throw Error(Blame::user, problem->field + ": " + problem->text);
  }
  return std::get<Access>(std::move(found));
}

}  // namespace

std::string set_server(Access& access, const std::string& url) {
  std::string not_an_address = "'" + url + "' is not the address of a server; write https://HOST:PORT";
  std::string_view rest = url;
  access.server = url;
  access.tls = rest.starts_with("https://");
  if (!access.tls && !rest.starts_with("http://")) return not_an_address;
  rest.remove_prefix(access.tls ? 8 : 7);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  access.prefix = rest.substr(slash);
  while (access.prefix.ends_with('/')) access.prefix.pop_back();
  rest = rest.substr(0, slash);
  const bool brackets = rest.starts_with('[');
  const std::size_t end = brackets ? rest.find(']') : std::min(rest.find(':'), rest.size());
  if (end == std::string_view::npos) return not_an_address;
  access.host = rest.substr(brackets ? 1 : 0, end - (brackets ? 1 : 0));
  rest.remove_prefix(end + (brackets ? 1 : 0));
  access.port = access.tls ? 443 : 80;
  if (url.find('@') != std::string::npos) return "must not contain a user or a password";
  if (access.host.empty() || url.find_first_of(" \t\r\n?#") != std::string::npos) return not_an_address;
  if (rest.empty()) return "";
  const auto [stop, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), access.port);
  const bool is_number = rest[0] == ':' && error == std::errc() && stop == rest.data() + rest.size();
  return is_number && access.port > 0 && access.port < 65536 ? "" : not_an_address;
}

Access find_access(const EnvironmentMap& environment) {
  return find_access(environment, {});
}

Access find_access(const EnvironmentMap& environment, const AccessChoice& choice) {
  const auto& [kubeconfig, context] = choice;
  if (!kubeconfig.empty()) return kubeconfig_access(kubeconfig, context, "--kubeconfig names it");
  const std::string paths = variable(environment, "KUBECONFIG");
  if (!paths.empty()) return kubeconfig_access(paths, context, "KUBECONFIG names it");
  const bool is_in_pod = !variable(environment, "KUBERNETES_SERVICE_HOST").empty();
  if (is_in_pod && context.empty()) return pod_access(environment, service_account_folder);
  return kubeconfig_access(variable(environment, "HOME") + "/.kube/config", context,
                           "set KUBECONFIG to the file that you use");
}

Access pod_access(const EnvironmentMap& environment, const std::string& folder) {
  const std::string host = variable(environment, "KUBERNETES_SERVICE_HOST");
  const std::string port = variable(environment, "KUBERNETES_SERVICE_PORT");
  Access access;
  const bool ipv6 = host.find(':') != std::string::npos;
  const std::string problem = set_server(access, "https://" + (ipv6 ? "[" + host + "]" : host) + ":" + port);
  if (!problem.empty()) throw Error(Blame::platform, "KUBERNETES_SERVICE_HOST and _PORT: " + problem);
  access.token = {"the pod's token", "", folder + "/token"};
  access.authority = {"the pod's authority", "", folder + "/ca.crt"};
  if (!may_exist(access.token.file)) {
    throw Error(Blame::user,
                access.token.file + ": does not exist; this pod needs a service account whose token is mounted");
  }
  const std::string name_space = folder + "/namespace";
  if (may_exist(name_space)) access.name_space = read_file(name_space);
  return access;
}

std::string read_source(const SecretSource& source) {
  return source.file.empty() ? source.data : read_file(source.file);
}

}  // namespace carrack::control
