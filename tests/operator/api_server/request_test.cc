#include "operator/api_server/request.h"

#include <gtest/gtest.h>

namespace carrack::control {
namespace {

TEST(Target, EncodesEverythingThatIsNoName) {
  EXPECT_EQ(to_target({"GET", "/api/v1/a-b_c.d~9"}), "/api/v1/a-b_c.d~9");
  EXPECT_EQ(to_target({"GET", "/a b?c#d%\xc3\xa9"}), "/a%20b%3Fc%23d%25%C3%A9");
  EXPECT_EQ(to_target({"GET", "/a", {{"labelSelector", "a/b in (c,d)&e=1"}, {"watch", ""}}}),
            "/a?labelSelector=a%2Fb%20in%20%28c%2Cd%29%26e%3D1&watch=");
}

TEST(Status, IsDecoded) {
  const ApiReply reply{404, R"({"kind":"Status","reason":"NotFound","message":"pods \"a\" not found","code":404})", {}};
  EXPECT_EQ(status_of(reply), (ApiStatus{"NotFound", "pods \"a\" not found"}));
  EXPECT_EQ(status_of({500, R"({"kind":"Status"})", {}}), (ApiStatus{"", "HTTP 500"}));
}

TEST(Status, IsWhatAProxySaysWhereItIsNone) {
  EXPECT_EQ(status_of({502, "Bad Gateway", {}}), (ApiStatus{"", "HTTP 502: Bad Gateway"}));
  EXPECT_EQ(status_of({502, "", {}}), (ApiStatus{"", "HTTP 502"}));
  EXPECT_EQ(status_of({502, R"({"kind":7,"reason":[]})", {}}), (ApiStatus{"", "HTTP 502: {\"kind\":7,\"reason\":[]}"}));
  EXPECT_EQ(status_of({502, std::string(5000, 'x'), {}}), (ApiStatus{"", "HTTP 502: " + std::string(200, 'x')}));
}

}  // namespace
}  // namespace carrack::control
