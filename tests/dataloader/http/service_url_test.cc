#include "dataloader/http/service_url.h"

#include <gtest/gtest.h>

namespace carrack::data {
namespace {

TEST(ServiceUrl, IsAnEndpointAndWhatIsAskedForThere) {
  EXPECT_EQ(service_url_from("https://a.example.com/b?c"), (ServiceUrl{"https://a.example.com", "/b?c"}));
  EXPECT_EQ(service_url_from("http://[fd00::1]:8080"), (ServiceUrl{"http://[fd00::1]:8080", "/"}));
  for (const char* text : {"", "a.example.com", "ftp://a", "http://", "http://a:0", "http://a:65536", "http://a b",
                           "http://[fd00::1", "http://[x]", "http://user@a", "http://a/\r\nHost: b", "http://a#b"}) {
    EXPECT_EQ(service_url_from(text), std::nullopt) << text;
  }
}

TEST(ServiceUrl, NamesAServer) {
  EXPECT_EQ(server_from("https://a.example.com"), (Server{true, "a.example.com", "443", "a.example.com"}));
  EXPECT_EQ(server_from("http://a:8080"), (Server{false, "a", "8080", "a:8080"}));
  EXPECT_EQ(server_from("http://[fd00::1]"), (Server{false, "fd00::1", "80", "[fd00::1]"}));
  EXPECT_EQ(server_from("https://[::1]:4443"), (Server{true, "::1", "4443", "[::1]:4443"}));
  EXPECT_EQ(server_from("https://a/path"), std::nullopt);
}

TEST(ServiceUrl, IsOfTheSameServerHoweverItIsWritten) {
  EXPECT_EQ(target_on_same_server("https://a.example.com", "https://a.example.com/b?c=%2F"), "/b?c=%2F");
  EXPECT_EQ(target_on_same_server("https://a.example.com", "https://a.example.com:443/b"), "/b");
  EXPECT_EQ(target_on_same_server("https://a.example.com:443", "https://a.example.com/b"), "/b");
  EXPECT_EQ(target_on_same_server("http://[::1]:80", "http://[::1]/b"), "/b");
  for (const char* other : {"https://b.example.com/b", "http://a.example.com/b", "https://a.example.com:444/b",
                            "https://a.example.com.b/b", "https://a.example.com@b/b", "/b", ""}) {
    EXPECT_EQ(target_on_same_server("https://a.example.com", other), std::nullopt) << other;
  }
}

TEST(ServiceUrl, IsLinkLocalByItsAddressAlone) {
  EXPECT_TRUE(is_link_local("http://169.254.169.254"));
  EXPECT_TRUE(is_link_local("http://169.254.0.2:8080"));
  for (const char* other : {"http://169.254.example.com", "http://169.254.169.254.example.com", "http://169.253.1.1",
                            "http://169.255.1.1", "http://169.254", "http://[::1]"}) {
    EXPECT_FALSE(is_link_local(other)) << other;
  }
}

TEST(ServiceUrl, IsPrivateWhereNobodyOnTheWayCanRead) {
  EXPECT_TRUE(is_confidential("https://anywhere.example.com"));
  EXPECT_TRUE(is_confidential("http://127.0.0.1"));
  EXPECT_TRUE(is_confidential("http://[::1]:80"));
  EXPECT_FALSE(is_confidential("http://127.0.0.1.example.com"));
  EXPECT_FALSE(is_confidential("http://localhost.example.com:80"));
  EXPECT_FALSE(is_confidential("ftp://localhost"));
}

}  // namespace
}  // namespace carrack::data
