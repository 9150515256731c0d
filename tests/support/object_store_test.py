"""The fault proxy as a program, and the context managers that run it."""

import os
import subprocess
import sys
import time
import unittest
import urllib.error

from support import object_store

MEDIA = "upload/storage/v1/b/bucket/o?uploadType=media&name="


def upload(url: str, name: str, content: bytes) -> None:
    object_store.call("POST", f"{url}/{MEDIA}{name}", content, {"Content-Type": "text/plain"})


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class ObjectStoreTest(unittest.TestCase):
    def test_the_program_plays_faults_and_counts_them(self):
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            upload(proxy.url, "a", b"hello")
            self.assertEqual(object_store.call("GET", f"{proxy.url}/bucket/a"), b"hello")
            second_read = {"method": "GET", "target": "/bucket/", "nth": [2]}
            proxy.set({"seed": 1, "rules": [second_read | {"answer": {"status": 503}}]})
            self.assertEqual(object_store.call("GET", f"{proxy.url}/bucket/a"), b"hello")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                object_store.call("GET", f"{proxy.url}/bucket/a")
            self.assertEqual(refused.exception.code, 503)
            refused.exception.close()
            counters = proxy.state()["counters"]
            self.assertEqual(counters["methods"], {"GET": 2})
            self.assertEqual(counters["faults"], {"answer.503": 1})

    def test_a_precondition_is_checked(self):
        with object_store.fake_gcs("bucket") as server, object_store.fault_proxy(server) as proxy:
            upload(proxy.url, "a&ifGenerationMatch=0", b"first")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                upload(proxy.url, "a&ifGenerationMatch=0", b"second")
            self.assertEqual(refused.exception.code, 412)
            refused.exception.close()
            self.assertEqual(object_store.call("GET", f"{proxy.url}/bucket/a"), b"first")

    def test_a_mistake_in_the_faults_is_refused(self):
        with object_store.fake_gcs() as server, object_store.fault_proxy(server) as proxy:
            with self.assertRaises(urllib.error.HTTPError) as refused:
                proxy.set({"rules": [{"cut": {"after": 1}}]})
            self.assertEqual(refused.exception.code, 400)
            self.assertIn(b"rules[0].cut.after: no such field", refused.exception.read())
            refused.exception.close()

    def test_no_proxy_of_the_environment_is_asked(self):
        nobody = {"http_proxy": "http://127.0.0.1:1", "no_proxy": "", "NO_PROXY": ""}
        with object_store.fake_gcs() as server:
            # In a process of its own: urllib reads the environment once.
            code = f"from support import object_store; object_store.call('GET', '{server}/storage/v1/b?project=test')"
            subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | nobody)

    def test_nothing_outlives_a_killed_test(self):
        code = ("import os, sys, time\n"
                "from support import object_store\n"
                "with object_store.fake_gcs() as server, object_store.fault_proxy(server):\n"
                "    children = open(f'/proc/self/task/{os.getpid()}/children').read()\n"
                "    print(children, flush=True)\n"
                "    time.sleep(600)\n")
        test = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        children = [int(pid) for pid in test.stdout.readline().split()]
        try:
            self.assertEqual(len(children), 2)
            self.assertTrue(all(alive(pid) for pid in children))
        finally:
            test.kill()
            test.wait()
            test.stdout.close()
        deadline = time.monotonic() + 10
        while any(alive(pid) for pid in children):
            self.assertLess(time.monotonic(), deadline, "the servers outlive the test")
            time.sleep(0.01)


if __name__ == "__main__":
    with object_store.fake_gcs() as running, object_store.fault_proxy(running):
        pass  # What is not built skips the whole program, before unittest would call it an error.
    unittest.main()
