"""A case of bench gcs: a job over a terabyte of records that nobody has indexed, from its start to the end of its first
step, against the time that this may take."""

import sys
from pathlib import Path

from bench import pairs
from support import object_store, sparse_store

sys.path.append(str(Path(__file__).parent.parent / "end_to_end"))
import terabyte  # noqa: E402  It is found there.

MAY_TAKE_S = 2


def seconds_to_a_step(store: sparse_store.SparseStore, proxy: object_store.FaultProxy, network: list[dict], seed: int) -> pairs.Figure:
    proxy.set({"seed": seed, "rules": network})
    sent_before = store.sent
    passed = terabyte.seconds_to_a_step(proxy.url)
    gets = proxy.state()["counters"]["methods"]["GET"]
    return pairs.Figure(passed, {"gets": gets, "mb": (store.sent - sent_before) / 1e6})


def case(store: sparse_store.SparseStore, proxy: object_store.FaultProxy, network: list[dict]) -> pairs.Case:
    seeds = iter(range(1_000_000))
    return pairs.Case("first_batch.unindexed", lambda: seconds_to_a_step(store, proxy, network, next(seeds)),
                      lambda: MAY_TAKE_S, peer_name="bound", unit="s", more_is_better=False,
                      settings={"bytes": store.bytes_in_all(), "objects": len(store.names), "network": network, "workers": 2})
