// Who we are: from files, and from programs that print it.
#include "operator/api_server/credentials.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/operator/api_server/written_files.h"

namespace carrack::control {
namespace {

class Stopwatch : public Clock {
 public:
  Moment now() const override { return time; }
  Instant steady_now() const override { return Instant(time.time_since_epoch()); }
  Moment time{std::chrono::seconds(1'700'000'000)};
};

class Identities : public WrittenFiles {
 protected:
  Access access_of(const std::string& script) {
    const std::string command = write("plugin", "#!/bin/sh\n" + script + "\n");
    chmod(command.c_str(), 0700);
    Access access;
    access.exec =
        ExecPlugin{"config: user 'me': exec", "client.authentication.k8s.io/v1", command, {}, {}, "install it", false};
    return access;
  }
  Credentials credentials_of(Access access) {
    return {std::move(access), {{"PATH", "/usr/bin:/bin"}, {"OURS", "1"}}, watch};
  }
  std::string asking(const Access& access) {
    return error_of([&] { credentials_of(access).identity(); });
  }
  Stopwatch watch;
};

std::string printed(const std::string& status) {
  return R"(echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": )" + status +
         "}'";
}

TEST_F(Identities, AreReadAgainFromFilesAfterAMinute) {
  Access access;
  access.token = {"the token", "", write("token", " first\n")};
  Credentials credentials = credentials_of(access);
  EXPECT_EQ(credentials.identity().token, "first");
  write("token", "second");
  watch.time += std::chrono::seconds(59);
  EXPECT_EQ(credentials.identity().token, "first");
  watch.time += std::chrono::seconds(1);
  EXPECT_EQ(credentials.identity().token, "second");
  write("token", "third");
  watch.time -= std::chrono::hours(1);  // a clock that was set back holds nothing up
  EXPECT_EQ(credentials.identity().token, "third");
}

TEST_F(Identities, AreAskedAnewOnceTheyAreRefused) {
  Access access;
  access.token = {"the token", "", write("token", "first")};
  Credentials credentials = credentials_of(access);
  const Identity first = credentials.identity();
  write("token", "second");
  credentials.discard(first);
  EXPECT_EQ(credentials.identity().token, "second");
  write("token", "third");
  credentials.discard(first);  // of another connection, late
  EXPECT_EQ(credentials.identity().token, "second");
}

TEST_F(Identities, AreNotShownInPlainHttp) {
  Access access;
  access.tls = false;
  access.token = {"the token", "secret", ""};
  EXPECT_EQ(credentials_of(access).identity(), Identity{});
}

TEST_F(Identities, OfAProgramHoldUntilTheirTime) {
  // It counts its runs in a file.
  Credentials credentials =
      credentials_of(access_of("echo x >> " + folder.path() + "/runs\n" + "n=$(wc -l < " + folder.path() + "/runs)\n" +
                               R"(echo '{"apiVersion": "client.authentication.k8s.io/v1",
 "kind": "ExecCredential", "status": {"token": "run '$n'", "expirationTimestamp": "2023-11-14T22:13:30Z"}}')"));
  EXPECT_EQ(credentials.identity().token, "run 1");
  watch.time += std::chrono::seconds(9);
  EXPECT_EQ(credentials.identity().token, "run 1");
  watch.time += std::chrono::seconds(1);
  EXPECT_EQ(credentials.identity().token, "run 2");
}

TEST_F(Identities, OfAProgramMayHaveATimeOfAnyZoneAndFieldsThatAreNull) {
  const auto read_with = [](const std::string& time) {
    return exec_credential_from(
        R"({"apiVersion": "v", "kind": "ExecCredential", "status": {"token": "secret", "clientKeyData": null,
            "expirationTimestamp": )" +
            time + "}}",
        "v");
  };
  const Moment end{std::chrono::seconds(1'700'000'010)};
  for (const std::string time : {"2023-11-14T22:13:30Z", "2023-11-14T22:13:30.25Z", "2023-11-14T23:43:30+01:30",
                                 "2023-11-14T14:13:30.123456-08:00"}) {
    EXPECT_EQ(std::get<ExecCredential>(read_with("\"" + time + "\"")), (ExecCredential{{"secret", "", ""}, end}))
        << time;
  }
  EXPECT_EQ(std::get<ExecCredential>(read_with("null")), (ExecCredential{{"secret", "", ""}, std::nullopt}));
  for (const std::string time : {"soon", "", "2023-11-14T22:13:30", "2023-11-14T22:13:30.Z", "2023-11-14T22:13:30+1:30",
                                 "2023-11-14T22:13:30+25:00"}) {
    EXPECT_EQ(std::get<Problem>(read_with("\"" + time + "\"")).text,
              "'" + time + "' is not a time such as 2026-01-31T23:59:58Z");
  }
}

TEST_F(Identities, OfAProgramAreAskedForWithWhatItNeeds) {
  Access access = access_of(R"sh(
    info=$(echo "$KUBERNETES_EXEC_INFO" | tr '"' +)
    printf '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status":
      {"clientCertificateData": "%s", "clientKeyData": "%s"}}' "$1 $OURS $THEIRS" "$info")sh");
  access.exec->arguments = {"one"};
  access.exec->environment = {{"THEIRS", "2"}};
  EXPECT_EQ(
      credentials_of(access).identity(),
      (Identity{
          "", "one 1 2",
          "{+apiVersion+:+client.authentication.k8s.io/v1+,+kind+:+ExecCredential+,+spec+:{+interactive+:false}}"}));
  set_server(access, "https://host");
  access.authority = {"the authority", "PEM", ""};
  access.exec->wants_cluster = true;
  EXPECT_EQ(credentials_of(access).identity().key,
            "{+apiVersion+:+client.authentication.k8s.io/v1+,+kind+:+ExecCredential+,+spec+:{+cluster+:"
            "{+certificate-authority-data+:+UEVN+,+insecure-skip-tls-verify+:false,+server+:+https://host+},"
            "+interactive+:false}}");
}

TEST_F(Identities, OfAProgramThatFailsAreMissedInWords) {
  Access missing = access_of("");
  missing.exec->command = "/nowhere/plugin";
  EXPECT_EQ(asking(missing),
            "config: user 'me': exec: '/nowhere/plugin' cannot be started: No such file or directory; install it");
  const std::string who = "config: user 'me': exec: '" + folder.path() + "/plugin' ";
  EXPECT_EQ(asking(access_of("exit 3")), who + "ended with exit code 3; run it by hand to see why");
  EXPECT_EQ(asking(access_of("kill -9 $$")), who + "was ended by signal 9; run it by hand to see why");
  EXPECT_EQ(asking(access_of("cat /dev/zero")), who + "took over 30 s, or printed over 1 MiB");
}

TEST_F(Identities, OfAProgramThatPrintsSomethingElseAreMissedWithoutWhatItPrinted) {
  const std::string who = "config: user 'me': exec: '" + folder.path() + "/plugin' printed no credential: ";
  EXPECT_EQ(asking(access_of("echo secret")), who + "output is not valid JSON after 1 bytes");
  EXPECT_EQ(asking(access_of("echo '{}'")), who + "output.apiVersion is missing");
  EXPECT_EQ(asking(access_of(printed("{}"))), who + "output.status holds no token and no client certificate");
  EXPECT_EQ(asking(access_of(printed(R"({"token": 7})"))), who + "output.status.token is a whole number; must be text");
  EXPECT_EQ(asking(access_of(printed(R"({"clientKeyData": "secret"})"))),
            who + "output.status clientCertificateData and clientKeyData belong together; one is missing");
  EXPECT_EQ(
      asking(access_of(
          R"(echo '{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "secret"}}')")),
      who + "output.apiVersion must be client.authentication.k8s.io/v1");
  EXPECT_EQ(
      asking(access_of(
          R"(echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "Secret", "status": {"token": "secret"}}')")),
      who + "output.kind must be ExecCredential");
}

}  // namespace
}  // namespace carrack::control
