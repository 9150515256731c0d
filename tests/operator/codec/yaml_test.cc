#include <gtest/gtest.h>

#include "operator/codec/node.h"

namespace carrack::control {
namespace {

TEST(Yaml, IsWrittenAsPeopleWriteIt) {
  const std::string yaml =
      "codes: [1, 2.5]\n"
      "empty: []\n"
      "args:\n"
      "  - -c\n"
      "  - |\n"
      "    if true; then\n"
      "      train # now\n"
      "    fi\n"
      "last: 1\n";
  const Parsed parsed = parse_yaml(yaml);
  EXPECT_EQ(to_yaml(std::get<Node>(parsed)), yaml);
}

TEST(Yaml, KeepsTextsOfSeveralLines) {
  for (const std::string text : {"a\n", "a\nb\n", "a\n\nb\n", "a\n  b \n", "a\nb", "a\n\n", "\na\n", " a\nb\n", "\n",
                                 "a\n\tb\n", "#\n- a: b\n", "é\n---\n", "a\r\nb\n"}) {
    const Node node{Node::Map{{"a", Node{Node::List{Node{text}, Node{text}}}}, {text, Node{text}}}};
    const Parsed parsed = parse_yaml(to_yaml(node));
    ASSERT_TRUE(std::holds_alternative<Node>(parsed)) << to_yaml(node);
    EXPECT_EQ(std::get<Node>(parsed), node) << to_yaml(node);
  }
}

}  // namespace
}  // namespace carrack::control
