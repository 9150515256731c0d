"""`carrack top` shows a run on this machine: once in a pipe, and live on a terminal."""

import os
import pty
import re
import signal
import struct
import subprocess
import termios
import unittest
from fcntl import ioctl

from line_run import BIN, ENDLESS, NO_CLUSTER, LineRun


class Top(LineRun, unittest.TestCase):
    command = "top"

    def on_terminal(self, until: str, end, *arguments: str, **environment: str) -> str:
        """What is drawn until `until` is there, and after end() is called."""
        ours, theirs = pty.openpty()
        ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
        with open(ours, "rb", buffering=0) as reader:
            process = subprocess.Popen([BIN / "carrack", "top", "run", *arguments], cwd=self.folder, stdout=theirs,
                                       env=os.environ | NO_CLUSTER | environment)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            os.close(theirs)
            drawn = ""
            try:
                while piece := reader.read(4096):
                    drawn += piece.decode()
                    if end and re.search(until, drawn):
                        end(process)
                        end = None
            except OSError:
                pass  # The command has ended.
            self.returncode = process.wait(60)
        return drawn.replace("\r\n", "\n")

    def test_prints_once_where_there_is_no_terminal(self):
        # Long enough that it is seen running: how long a job ran is not known otherwise.
        self.assertEqual(self.run_job(epochs=40).wait(60), 0)
        lines = self.carrack("run").stdout.splitlines()
        self.assertRegex(lines[0], r"^line has succeeded: step 800 of 800 \(100%\), in \d+ s$")
        self.assertRegex(lines[1], r"; commit 800$")
        self.assertEqual(lines[2:], ["MEMBER         STATE  NODE  RESTARTS  WHY", "coordinator-0  ended  -     0",
                                     "ps-0           ended  -     0", "worker-0       ended  -     0",
                                     "worker-1       ended  -     0"])

    def test_draws_a_run_again_and_again_until_it_is_over(self):
        run = self.run_job(epochs=ENDLESS)
        self.wait_until_it("line trains: step ")
        drawn = self.on_terminal(r"(?s)steps/s, [\d,]+ records/s; waits", lambda _: run.send_signal(signal.SIGINT))
        self.assertEqual(self.returncode, 0)
        frames = drawn.split("\033[7F\033[J")
        self.assertGreater(len(frames), 2)
        self.assertIn("line trains: step ", frames[0])
        self.assertIn("\nworker-1       \033[32mrunning\033[0m  -     0\n", frames[0])
        self.assertTrue(frames[-1].startswith("line is suspended\n"), frames[-1])
        for frame in frames:
            plain = re.sub(r"\033\[\d+m", "", frame)
            self.assertLessEqual(max(map(len, plain.splitlines())), 69)

    def test_ends_when_it_is_interrupted_and_has_no_colors_if_none_are_wanted(self):
        self.run_job(epochs=ENDLESS)
        self.wait_until_it("line trains: step ")
        drawn = self.on_terminal("worker-1", lambda process: process.send_signal(signal.SIGINT), NO_COLOR="1")
        self.assertEqual(self.returncode, -signal.SIGINT)
        self.assertIn("\nworker-1       running  -     0\n", drawn)
        drawn = self.on_terminal("", None, "--once")
        self.assertEqual((self.returncode, drawn.count("MEMBER")), (0, 1))

    def test_says_what_it_needs(self):
        self.refused([
            (["none/"], "none: is not a folder; name that of a `carrack run`, or a job without any '/'"),
            (["line"], "no run folder line, and no cluster: /nowhere/.kube/config: no such file; set KUBECONFIG to the file that you use"),
            (["a", "--onec"], "does not know '--onec'; did you mean '--once'?; `carrack top --help` lists what it does"),
        ])


if __name__ == "__main__":
    unittest.main()
