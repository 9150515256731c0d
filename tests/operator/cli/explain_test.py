"""`carrack explain` says of a run on this machine why it has failed, or how far it is, from its folder alone."""

import signal
import unittest

from line_run import ENDLESS, LineRun


class Explain(LineRun, unittest.TestCase):
    command = "explain"

    def test_a_run_that_failed(self):
        self.run_job(files="none.tfrecord").wait(60)
        said = self.explained()
        self.assertEqual(said[""], "line has failed: a member found a mistake that a retry would find again")
        self.assertRegex(said["cause"], rf"^UserError, for \d+ s: \w+ \d: UserError: spec\.data\.train\.files: no file matches "
                                        rf"{self.folder}/none\.tfrecord$")
        self.assertEqual(said["what to do"],
                         "Correct what the cause says. The same `carrack run` then tries again from the last commit.")
        self.assertEqual(said["last commit"], f"none yet in {self.folder}/run/checkpoints")

    def test_a_run_that_succeeded(self):
        self.assertEqual(self.run_job().wait(60), 0)
        said = self.explained("run/")
        self.assertRegex(said[""], r"^line has succeeded: step 20 of 20 \(100%\), in \d+ s$")
        self.assertTrue(said["what to do"].startswith(f"`carrack plot {self.folder}/run/checkpoints` draws its losses"))

    def test_a_run_that_trains_is_killed_and_is_suspended(self):
        process = self.run_job(epochs=ENDLESS)
        said = self.wait_until_it("line trains: step ")
        self.assertRegex(said[""], r"^line trains: step [\d,]+ of 20,000,000 \(0%\)")
        self.assertEqual(said["what to do"], "Nothing; `carrack top run` follows it.")
        self.assertEqual(said["running"], "1 of 1 coordinator, 1 of 1 ps and 2 of 2 workers")
        process.kill()
        process.wait(60)
        said = self.explained()
        self.assertEqual(said[""], "line stands still: no `carrack run` is at work in its folder")
        self.assertEqual((said["worker-0"], said["worker-1"]), ("stopped", "stopped"))
        self.assertEqual(said["what to do"], "The same `carrack run` continues it from the last commit.")
        process = self.run_job(epochs=ENDLESS)
        self.wait_until_it("line trains: step ")
        process.send_signal(signal.SIGINT)
        process.wait(60)
        self.assertEqual(self.explained()[""], "line is suspended")

    def test_names_the_usual_folder_of_a_run_that_has_the_name(self):
        self.run_job(files="none.tfrecord").wait(60)
        (self.folder / "carrack-runs").mkdir()
        (self.folder / "run").rename(self.folder / "carrack-runs" / "line")
        self.assertEqual(self.carrack("line", exit_code=2).stderr,
                         "carrack explain: no run folder line (did you mean carrack-runs/line?), and no cluster: "
                         "/nowhere/.kube/config: no such file; set KUBECONFIG to the file that you use\n")

    def test_prints_no_control_characters_of_the_status(self):
        self.run_job(files="none.tfrecord").wait(60)
        kept = self.folder / "run/job.json"
        kept.write_text(kept.read_text().replace("no file matches", "no \\u001b[2J file matches"))
        for command in ("explain", "top"):
            shown = self.carrack("run", command=command).stdout
            self.assertNotIn("\x1b", shown)
            self.assertIn(r"no \x1b[2J file matches", shown)

    def test_says_what_it_needs(self):
        (self.folder / "data").mkdir()
        self.refused([
            (["none/"], "none: is not a folder; name that of a `carrack run`, or a job without any '/'"),
            (["./data"], "./data: holds no run; name the --folder of a `carrack run`, by default carrack-runs/NAME"),
            (["data"], "no run folder data, and no cluster: /nowhere/.kube/config: no such file; set KUBECONFIG to the file that you use"),
            (["line", "--kubeconfig", "none"], "none: no such file; --kubeconfig names it"),
            (["a/b", "-n", "team"], "-n: is for a job of a cluster, and 'a/b' is a folder"),
            (["a", "b"], "takes one job; 'b' is one too many"),
            (["a", "--contexd", "b"], "does not know '--contexd'; did you mean '--context'?; `carrack explain --help` lists what it does"),
        ])


if __name__ == "__main__":
    unittest.main()
