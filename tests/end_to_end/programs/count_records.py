"""Counts how often each record was used: pushes -1 for each number in the feature `id`. Needs nothing but Python.

With the argument `twice` and so on it does what a program must not."""

import array
import sys
import threading
import time

import carrack
from carrack.job import WAIT_MS


def main(mistake: str) -> None:
    with carrack.join(step_seconds=2 if mistake in ("hang", "sleep") else 60) as job:
        [count] = job.tensors
        if mistake == "threads":
            threading.Thread(target=lambda: next(iter(job)), daemon=True).start()
            time.sleep(WAIT_MS / 2000)
        for batch in job:
            gradient = array.array("d" if mistake == "dtype" else "f", [0] * count.elements)
            assert "ids" not in batch and batch.get("ids") is None
            if mistake == "join":
                carrack.join()
            if mistake == "feature":
                batch["ids"]
            if mistake == "key":
                {}["ids"]
            for number in memoryview(batch["id"]).tolist():
                gradient[number[0] if isinstance(number, list) else number] -= 1
            if mistake == "forget":
                continue
            if mistake in ("hang", "wait"):
                print("has a batch", flush=True)
                threading.Event().wait()
            if mistake == "sleep":
                time.sleep(4)
            if mistake == "size":
                gradient.pop()
            if mistake == "unknown":
                job.push(0, {"counts": gradient})
            if mistake == "list":
                job.push(0, {count.name: gradient.tolist()})
            if mistake == "losses":
                job.push(memoryview(array.array("f", [0, 0])), {count.name: gradient})
            if mistake == "loss":
                job.push("0.5 or so", {count.name: gradient})
            if mistake == "nan":
                job.push(float("nan"), {count.name: gradient})
                continue
            job.push(0, {count.name: gradient})
            if mistake == "twice":
                job.push(0, {count.name: gradient})
            if mistake == "raise":
                raise ValueError("a mistake of the program")
            if mistake == "break":
                break
    print("the loop has ended")


if __name__ == "__main__":
    main("".join(sys.argv[1:]))
