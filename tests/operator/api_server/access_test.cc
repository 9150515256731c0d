// Which access is found, in a pod and outside; addresses of servers; base64.
#include "operator/api_server/access.h"

#include <gtest/gtest.h>

#include "operator/api_server/base64.h"
#include "tests/operator/api_server/written_files.h"

namespace carrack::control {
namespace {

std::string kubeconfig_of(const std::string& server) {
  return "current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: \"" +
         server + "\"}}]\n";
}

TEST_F(WrittenFiles, OfAPodSayWhereItIsAndWhoItIs) {
  write("token", "secret");
  const EnvironmentMap environment{{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  const Access access = pod_access(environment, folder.path());
  EXPECT_EQ(access.server, "https://10.0.0.1:443");
  EXPECT_EQ(access.token.file, folder.path() + "/token");
  EXPECT_EQ(access.authority.file, folder.path() + "/ca.crt");
  const EnvironmentMap ipv6{{"KUBERNETES_SERVICE_HOST", "fd00::1"}, {"KUBERNETES_SERVICE_PORT", "6443"}};
  EXPECT_EQ(pod_access(ipv6, folder.path()).server, "https://[fd00::1]:6443");
  EXPECT_EQ(pod_access(ipv6, folder.path()).host, "fd00::1");
}

TEST_F(WrittenFiles, OfAPodAreMissedByName) {
  const EnvironmentMap environment{{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "443"}};
  EXPECT_EQ(error_of([&] { pod_access(environment, folder.path()); }),
            folder.path() + "/token: does not exist; this pod needs a service account whose token is mounted");
  EXPECT_EQ(
      error_of([&] {
        pod_access({{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}, folder.path());
      }),
      "KUBERNETES_SERVICE_HOST and _PORT: 'https://10.0.0.1:' is not the address of a server; write https://HOST:PORT");
}

TEST_F(WrittenFiles, AreLookedForInTheOrderOfKubectl) {
  const std::string first = write("first", kubeconfig_of("https://first"));
  const std::string second = write("second", kubeconfig_of("https://second"));
  write(".kube/config", kubeconfig_of("https://home"));
  EXPECT_EQ(find_access({{"HOME", folder.path()}}).server, "https://home");
  EXPECT_EQ(find_access({{"HOME", folder.path()}, {"KUBECONFIG", "/nowhere:" + first + "::" + second}}).server,
            "https://first");
  // In a pod too: who sets it there means it.
  EXPECT_EQ(find_access({{"KUBECONFIG", second}, {"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}).server, "https://second");
}

TEST_F(WrittenFiles, AreChosenByOptionsBeforeAllElse) {
  const std::string first = write("first", kubeconfig_of("https://first"));
  const std::string second = write("second", kubeconfig_of("https://second"));
  const EnvironmentMap environment{{"KUBECONFIG", first}, {"HOME", folder.path()}};
  EXPECT_EQ(find_access(environment, {.kubeconfig = second, .context = ""}).server, "https://second");
  EXPECT_EQ(error_of([&] { find_access(environment, {.kubeconfig = "/nowhere", .context = ""}); }),
            "/nowhere: no such file; --kubeconfig names it");
  EXPECT_EQ(error_of([&] { find_access(environment, {.kubeconfig = "", .context = "other"}); }),
            first + ": --context names context 'other', which does not exist");
}

TEST_F(WrittenFiles, ThatAreNotThereAreNamed) {
  EXPECT_EQ(error_of([&] {
              find_access({{"HOME", folder.path()}});
            }),
            folder.path() + "/.kube/config: no such file; set KUBECONFIG to the file that you use");
  EXPECT_EQ(error_of([] { find_access({{"KUBECONFIG", "/nowhere"}}); }), "/nowhere: no such file; KUBECONFIG names it");
  const std::string path = write("config", "current-context: c\n");
  EXPECT_EQ(error_of([&] {
              find_access({{"KUBECONFIG", path}});
            }),
            path + ": current-context names context 'c', which does not exist");
}

TEST(Servers, AreRead) {
  Access access;
  EXPECT_EQ(set_server(access, "https://host"), "");
  EXPECT_EQ(access.host + ":" + std::to_string(access.port) + access.prefix, "host:443");
  EXPECT_EQ(set_server(access, "http://[::1]:8001/k8s/a//"), "");
  EXPECT_EQ(access.host + ":" + std::to_string(access.port) + access.prefix, "::1:8001/k8s/a");
  EXPECT_EQ(set_server(access, "http://host/"), "");
  EXPECT_EQ(access.host + ":" + std::to_string(access.port) + access.prefix, "host:80");
}

TEST(Servers, AreRefusedWhereTheyAreNone) {
  for (const std::string unfit :
       {"", "host:1", "https://", "https://:1", "https://h:", "https://h:0", "https://h:65536", "https://h:1x",
        "https://[::1", "https://[::1]1", "https://h?a", "https://h\r\nA: b"}) {
    Access access;
    EXPECT_EQ(set_server(access, unfit), "'" + unfit + "' is not the address of a server; write https://HOST:PORT");
  }
}

TEST(Base64, IsReadAsItIsWritten) {
  for (const std::string bytes : {"", "a", "ab", "abc", "abcd", "\xff\xfe\xfd"}) {
    EXPECT_EQ(from_base64(to_base64(bytes)), bytes);
  }
  EXPECT_EQ(to_base64("abcd"), "YWJjZA==");
  EXPECT_EQ(from_base64("YWJj\r\nZA==\n"), "abcd");
  for (const std::string unfit :
       {"YWJ", "YWJ!", "YWJj ZA=", "YW==YW==", "=WJj", "Y===", "====", "AAAA----", "YWJj-===", "-WJj"}) {
    EXPECT_EQ(from_base64(unfit), std::nullopt) << unfit;
  }
}

}  // namespace
}  // namespace carrack::control
