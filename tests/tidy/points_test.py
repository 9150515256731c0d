"""Writes, sends and changes of state without a named point around them are found, on whatever path they are reached."""

import unittest

import points
from planting import messages
from tree import Tree

REMEDY = 'put `const CrashPoint point("NAME");` before it, so that a test can end the process on either side'
WORKER_H = """#pragma once
class Worker {
 public:
  Worker(bool sync) : sync_(sync) {}
  void granted(int lease);
  int count() const { return total_; }

 private:
  void begin();
  bool sync_ = false;
  int total_ = 0;
  std::deque<int> leases_;
  std::map<int, Server> servers_;
  Commands commands_;
};
"""
WORKER_CC = """#include "trainer/comm/protocol/worker.h"
// A change in a comment: leases_.clear();
void Worker::granted(int lease) {
  if (leases_.empty() || total_ == 1) return;
  const Server& server = servers_.at(1);
  const auto same = [&](const auto& other) { return other.second.peer == server.peer; };
  const CrashPoint point("worker.granted");
  leases_.push_back(lease);
  begin();
}
void Worker::begin() {
  total_ = 1;
  commands_.push_back(1);
}
"""
ENDPOINT = """void Endpoint::send(const wire::Message& message) {
  const CrashPoint point(point_of(message));
  if (stream) stream->send(encode(message));
}
"""
FOLDER = """bool Folder::commit() {
  const train::CrashPoint point("folder.commit");
  return storage_.replace_if(url_, bytes);
}
"""
PROTO = "message Message {\n  oneof body {\n    Hello hello = 1;  // First = 0;\n    Grant grant = 2;\n  }\n}\n"
CLEAN = {
    "tests/tidy/points.txt": "bookkeeping <- commands_ heard\napart <- trainer/comm/protocol/runs\ncommands <- trainer/export\n",
    "trainer/points.h": "class CrashPoint {};\n",
    "trainer/comm/protocol/message.proto": PROTO,
    "trainer/comm/protocol/runs.h": "class Runs { void add() { end_ = 1; }  Instant heard; };\n",
    "trainer/comm/protocol/worker.h": WORKER_H,
    "trainer/comm/protocol/worker.cc": WORKER_CC,
    "trainer/comm/transport/endpoint.cc": ENDPOINT,
    "trainer/checkpoint/folder.cc": FOLDER,
    "trainer/export/model.cc": "void write() { storage.create(url)->commit(); }\n",
}


class Points(unittest.TestCase):
    def planted(self, path: str, text: str) -> list[str]:
        return messages(points.check, {**CLEAN, path: text})

    def in_worker(self, body: str, parameters: str = "") -> list[str]:
        """The messages about a member function that is appended to worker.cc, in line 15."""
        return self.planted("trainer/comm/protocol/worker.cc", WORKER_CC + f"void Worker::late({parameters}) {{ {body} }}\n")

    def test_what_stands_behind_a_point_passes(self):
        self.assertEqual(messages(points.check, CLEAN), [])

    def test_without_a_trainer_there_is_nothing_yet(self):
        self.assertIsNone(points.check(Tree({"operator/plan.cc": ""})))

    def test_names_are_listed_and_counted(self):
        self.assertEqual(points.names(Tree(CLEAN)), ["folder.commit", "worker.granted", "send.hello", "send.grant"])
        self.assertEqual(points.summary(Tree(CLEAN)), "points: 2 named points, 2 kinds of frames")

    def test_each_way_to_change_a_member_is_found(self):
        for body, name in (
            ("total_ = 2;", "total_"),
            ("total_ += 2;", "total_"),
            ("++total_;", "total_"),
            ("total_--;", "total_"),
            ("this->total_ = 2;", "total_"),
            ("leases_.clear();", "leases_"),
            ("leases_.a_method_not_known_to_read();", "leases_"),
            ("servers_[1].peer = 2;", "servers_"),
            ("servers_.at(1).values.push_back(2);", "servers_"),
            ("auto old = std::exchange(total_, 2);", "total_"),
            ("std::erase_if(leases_, is_old);", "leases_"),
            ("std::swap(other, leases_);", "leases_"),
            ("std::fill(leases_.begin(), leases_.end(), 0);", "leases_"),
            ("Server& server = servers_.at(1); server.peer = 2;", "server"),
            ("Server& server = servers_.at(1); auto& values = server.values; values.clear();", "values"),
            ("const auto found = servers_.find(1); found->second.peer = 2;", "found"),
            ("for (auto& [index, server] : servers_) server.peer = 2;", "server"),
            ("for (auto one = leases_.begin(); one != leases_.end(); ++one) *one = 2;", "one"),
            ("std::for_each(x, y, [](Server& each) { each.peer = 2; });", "each"),
            ("if (total_ == 1) { const CrashPoint point(\"worker.one\"); } total_ = 2;", "total_"),
            ("total_ = 2; const CrashPoint point(\"worker.late\");", "total_"),
        ):
            self.assertEqual(
                self.in_worker(body),
                [f"trainer/comm/protocol/worker.cc:15: Worker::late changes `{name}` without a point before it; {REMEDY}"],
                body,
            )
        self.assertEqual(
            self.in_worker("server.peer = 2;", "Server& server"),
            [f"trainer/comm/protocol/worker.cc:15: Worker::late changes `server` without a point before it; {REMEDY}"],
        )

    def test_what_only_reads_passes(self):
        for body in (
            "if (total_ == 2 || leases_.size() <= 1) return;",
            "const auto found = servers_.find(1); return found->second.peer == 2;",
            "auto one = leases_.begin(); ++one;",
            "Server copy = servers_.at(1); copy.peer = 2;",
            "const int twice = total_ * 2; int total = total_; total = 3;",
            "for (const auto& [index, server] : servers_) sum = sum + server.peer;",
            "wire::Message message; message.set_total(total_);",
            "message.total_ = 2;",
            "if (from == 1) return granted.lease();",
            "commands_.push_back(1); servers_.at(1).heard = now;",
        ):
            self.assertEqual(self.in_worker(body, "const int& from, const wire::Granted& granted"), [], body)

    def test_a_private_function_is_as_good_as_its_callers(self):
        self.assertEqual(
            self.in_worker("if (sync_) begin();"),
            ["trainer/comm/protocol/worker.cc:12: Worker::begin changes `total_` without a point before it "
             f"when reached from Worker::late; {REMEDY}"],
        )
        uncalled = WORKER_CC.replace("  begin();\n", "")
        self.assertEqual(
            self.planted("trainer/comm/protocol/worker.cc", uncalled),
            [f"trainer/comm/protocol/worker.cc:11: Worker::begin changes `total_` without a point before it; {REMEDY}"],
        )

    def test_a_function_in_a_class_is_looked_into(self):
        planted = WORKER_H.replace("  void granted", "  void coordinator_is(int peer) { total_ = peer; }\n  void granted")
        self.assertEqual(
            self.planted("trainer/comm/protocol/worker.h", planted),
            [f"trainer/comm/protocol/worker.h:5: Worker::coordinator_is changes `total_` without a point before it; {REMEDY}"],
        )

    def test_a_storage_write_is_found_anywhere_in_the_trainer(self):
        for call, name in (
            ("storage_.replace_if(url, text)", "replace_if"),
            ("storage->create(url, {})", "create"),
            ("storage.remove(url)", "remove"),
            ("object->write(bytes)", "write"),
            ("object->commit()", "commit"),
        ):
            self.assertEqual(
                self.planted("trainer/loop/store.cc", f"void keep() {{\n  {call};\n}}\n"),
                [f"trainer/loop/store.cc:2: keep calls `{name}` without a point before it; {REMEDY}"],
            )
        other = "void f() { std::replace_if(a, b); folder_.commit(); }\n"
        self.assertEqual(self.planted("trainer/loop/text.cc", other), [])

    def test_a_send_past_the_endpoint_is_found(self):
        gone = ENDPOINT.replace("  const CrashPoint point(point_of(message));\n", "")
        self.assertEqual(
            self.planted("trainer/comm/transport/endpoint.cc", gone),
            [f"trainer/comm/transport/endpoint.cc:2: Endpoint::send calls `send` without a point before it; {REMEDY}"],
        )
        past = 'void f() {\n  const CrashPoint point("role.f");\n  StartWrite(&frame);\n}\n'
        self.assertEqual(
            self.planted("trainer/loop/roles/role.cc", past),
            ["trainer/loop/roles/role.cc:3: calls `StartWrite` without Endpoint::send, which has the point of every frame; "
             "send through an Endpoint"],
        )

    def test_a_name_stands_at_one_place_and_can_be_listed(self):
        again = 'void f() {\n  const CrashPoint point("worker.granted");\n}\n'
        self.assertEqual(
            self.planted("trainer/loop/roles/role.cc", again),
            ["trainer/loop/roles/role.cc:2: the point `worker.granted` is also at trainer/comm/protocol/worker.cc:7; "
             "give each place its own name"],
        )
        for name in ("granted", "Worker.granted", "worker.granted.before", "send.granted"):
            self.assertEqual(
                self.planted("trainer/loop/roles/role.cc", again.replace("worker.granted", name)),
                [f"trainer/loop/roles/role.cc:2: `{name}` is not a valid name of a point; write it like `worker.granted`; "
                 "names with `send.` belong to frames"],
            )
        for form in ('const CrashPoint point(name);', 'CrashPoint("worker.x");', 'const CrashPoint point(point_of(message));'):
            self.assertEqual(
                self.planted("trainer/loop/roles/role.cc", f"void f() {{\n  {form}\n}}\n"),
                ['trainer/loop/roles/role.cc:2: cannot be listed as a point; write `const CrashPoint point("NAME");`'],
            )

    def test_the_table_names_only_what_is_there(self):
        table = CLEAN["tests/tidy/points.txt"].replace("heard", "heard gone_") + "  trainer/gone\n"
        table = table.replace("runs", "runs trainer/comm/protocol/gone")
        self.assertEqual(
            self.planted("tests/tidy/points.txt", table),
            ["tests/tidy/points.txt:1: gone_ is not in trainer/comm/protocol/; remove it",
             "tests/tidy/points.txt:2: trainer/comm/protocol/gone is not in trainer/comm/protocol/; remove it",
             "tests/tidy/points.txt:3: trainer/gone is not in the tree; remove it"],
        )


if __name__ == "__main__":
    unittest.main()
