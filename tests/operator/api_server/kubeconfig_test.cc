// Kubeconfig files: what they lead to, and the whole message of every refusal.
#include "operator/api_server/kubeconfig.h"

#include <gtest/gtest.h>

namespace carrack::control {
namespace {

const std::string admin = R"(apiVersion: v1
kind: Config
current-context: mine
contexts:
- name: mine
  context: {cluster: here, user: me, namespace: space}
- name: other
  context: {cluster: there, user: nobody}
clusters:
- name: here
  cluster:
    server: https://10.0.0.1:6443/behind/
    certificate-authority-data: YXV0aG9yaXR5
    tls-server-name: kubernetes
- name: there
  cluster: {server: "http://localhost:8001"}
users:
- name: me
  user:
    client-certificate-data: Y2VydGlmaWNhdGU=
    client-key-data: a2V5
- name: nobody
  user: {}
)";

std::string with(const std::string& was, const std::string& is) {
  std::string text = admin;
  const std::size_t at = text.find(was);
  EXPECT_NE(at, std::string::npos) << was;
  return text.replace(at, was.size(), is);
}

Access access_in(const std::vector<KubeconfigText>& files) {
  const std::variant<Access, Problem> found = access_from(files);
  const auto* problem = std::get_if<Problem>(&found);
  EXPECT_EQ(problem, nullptr) << problem->field << ": " << problem->text;
  return problem ? Access{} : std::get<Access>(found);
}
Access access_in(const std::string& text) {
  return access_in({{"/home/.kube/config", text}});
}

TEST(Kubeconfig, LeadsToServerAuthorityAndCertificate) {
  Access expected;
  expected.server = "https://10.0.0.1:6443/behind/";
  expected.host = "10.0.0.1";
  expected.port = 6443;
  expected.prefix = "/behind";
  expected.tls_server_name = "kubernetes";
  expected.name_space = "space";
  expected.authority = {"/home/.kube/config: cluster 'here': certificate-authority-data", "authority", ""};
  expected.certificate = {"/home/.kube/config: user 'me': client-certificate-data", "certificate", ""};
  expected.key = {"/home/.kube/config: user 'me': client-key-data", "key", ""};
  expected.token = {"/home/.kube/config: user 'me': token", "", ""};
  EXPECT_EQ(access_in(admin), expected);
}

TEST(Kubeconfig, TakesPlainHttpAndNobody) {
  const Access access = access_in(with("current-context: mine", "current-context: other"));
  EXPECT_FALSE(access.tls);
  EXPECT_EQ(access.host + ":" + std::to_string(access.port), "localhost:8001");
  EXPECT_FALSE(access_in(with(", user: me,", ",")).certificate.is_set());
}

TEST(Kubeconfig, NamesFilesFromWhereItLies) {
  std::string text = with("certificate-authority-data: YXV0aG9yaXR5", "certificate-authority: ca.crt");
  Access access = access_in({{"/a/b/config", text}});
  EXPECT_EQ(access.authority.file, "/a/b/ca.crt");
  access = access_in({{"config", text}});
  EXPECT_EQ(access.authority.file, "ca.crt");
  access = access_in(with("certificate-authority-data: YXV0aG9yaXR5", "certificate-authority: /etc/ca.crt"));
  EXPECT_EQ(access.authority.file, "/etc/ca.crt");
  access = access_in(with("client-key-data: a2V5", "client-key-data: a2V5\n    client-key: ignored"));
  EXPECT_EQ(access.key, (SecretSource{"/home/.kube/config: user 'me': client-key-data", "key", ""}));
}

TEST(Kubeconfig, PrefersTheFileOfATokenToTheToken) {
  const std::string user = "client-certificate-data: Y2VydGlmaWNhdGU=\n    client-key-data: a2V5";
  EXPECT_EQ(access_in(with(user, "token: secret")).token.data, "secret");
  EXPECT_EQ(access_in(with(user, "token: secret\n    tokenFile: here/token")).token,
            (SecretSource{"/home/.kube/config: user 'me': token", "", "/home/.kube/here/token"}));
}

TEST(Kubeconfig, SkipsTheCheckOfAServerOnlyWhereItIsTold) {
  EXPECT_FALSE(access_in(admin).insecure);
  EXPECT_TRUE(access_in(with("certificate-authority-data: YXV0aG9yaXR5", "insecure-skip-tls-verify: true")).insecure);
}

TEST(Kubeconfig, ReadsAPlugin) {
  const Access access =
      access_in(with("    client-certificate-data: Y2VydGlmaWNhdGU=\n    client-key-data: a2V5", R"(    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: gke-gcloud-auth-plugin
      args: [--use, "1"]
      env:
      - {name: A, value: b}
      installHint: install it
      provideClusterInfo: true
      interactiveMode: IfAvailable)"));
  const ExecPlugin expected{"/home/.kube/config: user 'me': exec",
                            "client.authentication.k8s.io/v1beta1",
                            "gke-gcloud-auth-plugin",
                            {"--use", "1"},
                            {{"A", "b"}},
                            "install it",
                            true};
  EXPECT_EQ(access.exec, expected);
}

TEST(Kubeconfig, FindsAPluginBesideIt) {
  const std::string user = "client-certificate-data: Y2VydGlmaWNhdGU=\n    client-key-data: a2V5";
  const std::string exec = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin}";
  EXPECT_EQ(access_in(with(user, exec)).exec->command, "/home/.kube/./plugin");
}

TEST(Kubeconfigs, AreMergedAndTheFirstWins) {
  const std::string only_context = "current-context: mine\n";
  const std::string only_user = "users:\n- name: me\n  user: {token: first}\n";
  const Access access =
      access_in({{"empty", "\n"}, {"a", only_context}, {"b", only_user}, {"c", with(": mine", ": other")}});
  EXPECT_EQ(access.host, "10.0.0.1");
  EXPECT_EQ(access.token, (SecretSource{"b: user 'me': token", "first", ""}));
  EXPECT_FALSE(access.certificate.is_set());
}

struct Refusal {
  std::string name, text, message;
};

class Refusals : public testing::TestWithParam<Refusal> {};

TEST_P(Refusals, SayWhatIsWrongWhere) {
  const std::variant<Access, Problem> found = access_from(std::vector<KubeconfigText>{{"config", GetParam().text}});
  ASSERT_TRUE(std::holds_alternative<Problem>(found));
  EXPECT_EQ(std::get<Problem>(found).field + ": " + std::get<Problem>(found).text, GetParam().message);
}

std::string cluster_with(const std::string& field) {
  return with("tls-server-name: kubernetes", field);
}
std::string user_with(const std::string& field) {
  return with("client-key-data: a2V5", "client-key-data: a2V5\n    " + field);
}
std::string exec_with(const std::string& fields) {
  return with("client-certificate-data: Y2VydGlmaWNhdGU=\n    client-key-data: a2V5", "exec: {" + fields + "}");
}

const std::string v1 = "apiVersion: client.authentication.k8s.io/v1, ";

INSTANTIATE_TEST_SUITE_P(
    Kubeconfig, Refusals,
    testing::Values(
        Refusal{"Empty", " \n", "config: is empty"},
        Refusal{"NoYaml", "a: [", "config: line 1: is not valid YAML: a list that begins with [ has no ]"},
        Refusal{"Text", "text",
                "config: current-context is not set; choose one with `kubectl config use-context NAME`"},
        Refusal{"NoContext", with("current-context: mine", "a: b"),
                "config: current-context is not set; choose one with `kubectl config use-context NAME`"},
        Refusal{"AbsentContext", with("current-context: mine", "current-context: third"),
                "config: current-context names context 'third', which does not exist"},
        Refusal{"AbsentCluster", with("cluster: here", "cluster: gone"),
                "config: context 'mine' names cluster 'gone', which does not exist"},
        Refusal{"AbsentUser", with("user: me", "user: gone"),
                "config: context 'mine' names user 'gone', which does not exist"},
        Refusal{"NoServer", with("server: https://10.0.0.1:6443/behind/", "a: b"),
                "config: cluster 'here': server '' is not the address of a server; write https://HOST:PORT"},
        Refusal{"ServerInAList", with("server: https://10.0.0.1:6443/behind/", "server: [a]"),
                "config: cluster 'here': server must be text"},
        Refusal{"UserInServer", with("https://10", "https://me@10"),
                "config: cluster 'here': server must not contain a user or a password"},
        Refusal{"Proxy", cluster_with("proxy-url: http://proxy"),
                "config: cluster 'here': proxy-url is not supported; give an address that needs no proxy"},
        Refusal{"Insecure", cluster_with("insecure-skip-tls-verify: true"),
                "config: cluster 'here': insecure-skip-tls-verify and certificate-authority exclude each other; remove "
                "one"},
        Refusal{"InsecureInWords", cluster_with("insecure-skip-tls-verify: yes please"),
                "config: cluster 'here': insecure-skip-tls-verify must be true or false"},
        Refusal{"NoBase64", with("YXV0aG9yaXR5", "YXV0aG9y!XR5"),
                "config: cluster 'here': certificate-authority-data is not base64"},
        Refusal{"HalfPair", with("client-key-data: a2V5", "a: b"),
                "config: user 'me': client-certificate and client-key belong together; one is missing"},
        Refusal{"AuthProvider", user_with("auth-provider: {name: gcp}"),
                "config: user 'me': auth-provider is not supported; use exec, a token or a client certificate"},
        Refusal{"Username", user_with("username: me"),
                "config: user 'me': username is not supported; use exec, a token or a client certificate"},
        Refusal{"Password", user_with("password: secret"),
                "config: user 'me': password is not supported; use exec, a token or a client certificate"},
        Refusal{"Impersonation", user_with("as: somebody"),
                "config: user 'me': as is not supported: nobody is impersonated; use a user of its own"},
        Refusal{"NumberAsToken", user_with("token: 123"), "config: user 'me': token must be text"},
        Refusal{"ExecAndMore", user_with("exec: {" + v1 + "command: a}"),
                "config: user 'me': has exec besides a token or a client certificate; keep one of them"},
        Refusal{"ExecVersion", exec_with("apiVersion: client.authentication.k8s.io/v1alpha1, command: a"),
                "config: user 'me': exec: apiVersion 'client.authentication.k8s.io/v1alpha1' is not supported; "
                "client.authentication.k8s.io/v1 and v1beta1 are"},
        Refusal{"ExecTerminal", exec_with(v1 + "command: a, interactiveMode: Always"),
                "config: user 'me': exec: interactiveMode Always needs a terminal, and there is none"},
        Refusal{"ExecNothing", exec_with(v1 + "args: [a]"), "config: user 'me': exec: command is missing"},
        Refusal{"ExecNumbers", exec_with(v1 + "command: a, args: [1]"),
                "config: user 'me': exec: args must be texts; put numbers in quotes"},
        Refusal{"ExecEnv", exec_with(v1 + "command: a, env: [{name: [b]}]"),
                "config: user 'me': exec: env: name must be text"},
        Refusal{"ExecExtension",
                exec_with(v1 + "command: a, provideClusterInfo: true")
                    .replace(admin.find("    server:"), 0,
                             "    extensions: [{name: client.authentication.k8s.io/exec, extension: {}}]\n"),
                "config: cluster 'here': extension client.authentication.k8s.io/exec is not supported; "
                "use a plugin that needs none"},
        Refusal{"ExecArgsText", exec_with(v1 + "command: a, args: b"), "config: user 'me': exec: args must be a list"}),
    [](const auto& refusal) { return refusal.param.name; });

TEST(Kubeconfig, HasOtherContextsToChooseFrom) {
  const std::vector<KubeconfigText> files{{"config", admin}};
  const auto chosen = access_from(files, "other");
  EXPECT_EQ(std::get<Access>(chosen).server, "http://localhost:8001");
  EXPECT_EQ(std::get<Access>(chosen).name_space, "");
  EXPECT_EQ(std::get<Problem>(access_from(files, "no")),
            (Problem{"config", "--context names context 'no', which does not exist"}));
}

TEST(Refusals, AreOfTheFileThatIsWrong) {
  const std::vector<KubeconfigText> files{{"a", "current-context: mine\n"},
                                          {"b", with("server: https:", "server: ftp:")}};
  EXPECT_EQ(std::get<Problem>(access_from(files)),
            (Problem{"b",
                     "cluster 'here': server 'ftp://10.0.0.1:6443/behind/' is not the address of a server; write "
                     "https://HOST:PORT"}));
  EXPECT_EQ(std::get<Problem>(access_from({})), (Problem{"KUBECONFIG", "is empty"}));
}

}  // namespace
}  // namespace carrack::control
