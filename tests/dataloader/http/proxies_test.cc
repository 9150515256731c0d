#include "dataloader/http/proxies.h"

#include <gtest/gtest.h>

#include "dataloader/error.h"

namespace carrack::data {
namespace {

using Environment = std::map<std::string, std::string>;

// The one to that endpoint, as it is named; nothing for none.
std::string proxy_to(const std::string& endpoint, const Environment& environment) {
  const auto proxy = Proxies(environment).proxy_for(server_from(endpoint).value());
  return proxy ? proxy->name : "";
}

std::string refusal_of(const Environment& environment) {
  try {
    const Proxies proxies(environment);
  } catch (const Refused& error) {
    return error.what();
  }
  return "no error";
}

TEST(Proxies, AreThoseOfTheEnvironment) {
  const std::string storage = "https://storage.googleapis.com";
  EXPECT_EQ(proxy_to(storage, {}), "");
  EXPECT_EQ(proxy_to(storage, {{"HTTPS_PROXY", "http://proxy:3128"}}), "http://proxy:3128");
  EXPECT_EQ(proxy_to(storage, {{"HTTPS_PROXY", "proxy:3128"}}), "http://proxy:3128");
  EXPECT_EQ(proxy_to(storage, {{"HTTPS_PROXY", "http://proxy/"}}), "http://proxy");
  EXPECT_EQ(proxy_to(storage, {{"HTTPS_PROXY", "http://[fd00::1]:1"}}), "http://[fd00::1]:1");
  EXPECT_EQ(proxy_to(storage, {{"HTTPS_PROXY", "a:1"}, {"https_proxy", "b:1"}}), "http://b:1");
  EXPECT_EQ(proxy_to(storage, {{"HTTPS_PROXY", "a:1"}, {"https_proxy", ""}}), "http://a:1");
  EXPECT_EQ(proxy_to(storage, {{"HTTP_PROXY", "http://proxy:3128"}}), "");
}

TEST(Proxies, AreNotForWhatIsNotEncryptedNorForThisMachine) {
  const Environment environment{{"HTTPS_PROXY", "http://proxy:3128"}};
  for (const char* endpoint : {"http://169.254.169.254", "http://storage.googleapis.com", "https://localhost:1",
                               "https://127.0.0.1:1", "https://127.1.2.3", "https://[::1]:1"}) {
    EXPECT_EQ(proxy_to(endpoint, environment), "") << endpoint;
  }
}

TEST(Proxies, AreNotForWhatNoProxyNames) {
  const auto is_used = [](const std::string& endpoint, const std::string& none_to) {
    return !proxy_to(endpoint, {{"HTTPS_PROXY", "proxy:3128"}, {"NO_PROXY", none_to}}).empty();
  };
  for (const char* named : {"*", "example.com", ".example.com", "a.Example.com", "other, example.com",
                            "other example.com", "example.com:443"}) {
    EXPECT_FALSE(is_used("https://a.example.com", named)) << named;
  }
  for (const char* other :
       {"", ",", ".", "ample.com", "b.example.com", "example.com:444", "com.example", "10.0.0.0/8"}) {
    EXPECT_TRUE(is_used("https://a.example.com", other)) << other;
  }
  EXPECT_FALSE(is_used("https://example.com", ".example.com"));
  for (const char* named : {"10.1.2.3", "10.0.0.0/8", "10.1.2.2/31", "0.0.0.0/0"}) {
    EXPECT_FALSE(is_used("https://10.1.2.3", named)) << named;
  }
  for (const char* other : {"10.1.2.4", "11.0.0.0/8", "10.1.2.4/31", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/",
                            "10.0.0.0/99999999999999999999", "::/0", "2.3"}) {
    EXPECT_TRUE(is_used("https://10.1.2.3", other)) << other;
  }
  EXPECT_FALSE(is_used("https://[fd00::1]", "fd00::/8"));
}

TEST(Proxies, ThatAreNoneAreRefusedWithoutTheirPasswords) {
  const std::string who = "user:secret@";
  for (const std::string& address : {"http://" + who + "proxy:port", who + "proxy://a", "http://" + who}) {
    EXPECT_EQ(refusal_of({{"HTTPS_PROXY", address}}),
              "HTTPS_PROXY: is not the address of a proxy; write http://HOST:PORT or USER:PASSWORD@HOST:PORT");
  }
  EXPECT_EQ(refusal_of({{"https_proxy", "socks5://" + who + "proxy:1080"}}),
            "https_proxy: names a socks5:// proxy, which is not supported; write http://HOST:PORT or "
            "USER:PASSWORD@HOST:PORT");
}

TEST(Proxies, AreAskedToConnect) {
  const Server server = server_from("https://storage.googleapis.com").value();
  const auto proxy = Proxies(Environment{{"HTTPS_PROXY", "http://proxy:3128"}}).proxy_for(server);
  EXPECT_EQ(connect_request(*proxy, server),
            "CONNECT storage.googleapis.com:443 HTTP/1.1\r\nHost: storage.googleapis.com:443\r\n\r\n");
  const std::string who = "user:p%40ss%3aword@";
  const auto known = Proxies(Environment{{"HTTPS_PROXY", "http://" + who + "proxy:3128"}}).proxy_for(server);
  EXPECT_EQ(known->name, "http://proxy:3128");
  EXPECT_EQ(connect_request(*known, server_from("https://[fd00::1]:8443").value()),
            "CONNECT [fd00::1]:8443 HTTP/1.1\r\nHost: [fd00::1]:8443\r\n"
            "Proxy-Authorization: Basic dXNlcjpwQHNzOndvcmQ=\r\n\r\n");
}

TEST(Proxies, SayWhyTheyDoNotConnect) {
  EXPECT_EQ(proxy_refusal("HTTP/1.1 200 Connection established\r\n\r\n"), std::nullopt);
  EXPECT_EQ(proxy_refusal("SSH\r\n\r\n"), (ProxyRefusal{"the reply is not HTTP"}));
  EXPECT_EQ(proxy_refusal("HTTP/1.1 502 Bad Gateway\r\n\r\n"), (ProxyRefusal{"HTTP 502"}));
  EXPECT_EQ(proxy_refusal("HTTP/1.1 403 Forbidden\r\n\r\n"), (ProxyRefusal{"HTTP 403", true}));
  EXPECT_EQ(proxy_refusal("HTTP/1.1 407 Who are you\r\n\r\n"),
            (ProxyRefusal{"HTTP 407; name who may use it in HTTPS_PROXY, as USER:PASSWORD@HOST:PORT", true}));
}

}  // namespace
}  // namespace carrack::data
