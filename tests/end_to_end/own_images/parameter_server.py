"""Fits a line with TensorFlow's ParameterServerStrategy, as the task that TF_CONFIG names; see README.md."""

import os
import time

import tensorflow as tf

STEPS = int(os.environ.get("STEPS", "300"))
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0"))
CHECKPOINTS = os.environ.get("CHECKPOINTS", "")
CHECKPOINT_STEPS = int(os.environ.get("CHECKPOINT_STEPS", "20"))
BATCH = 32
RATE = 0.1


def serve(resolver: tf.distribute.cluster_resolver.ClusterResolver) -> None:
    """Works for the chief; never returns."""
    server = tf.distribute.Server(resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id,
                                  protocol="grpc", start=True)
    server.join()


def points(_: tf.distribute.InputContext) -> tf.data.Dataset:
    """Points of y = 3 x + 2, without end."""
    xs = tf.data.Dataset.random(seed=1).map(lambda number: tf.cast(number, tf.float32) / 2.0**31 - 1.0)
    return xs.map(lambda x: (x, 3 * x + 2)).batch(BATCH).prefetch(2)


def train(resolver: tf.distribute.cluster_resolver.ClusterResolver) -> None:
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    with strategy.scope():
        slope, intercept = tf.Variable(0.0, name="slope"), tf.Variable(0.0, name="intercept")
    batches = iter(coordinator.create_per_worker_dataset(lambda: strategy.distribute_datasets_from_function(points)))
    step = tf.Variable(0, dtype=tf.int64)
    manager = None
    if CHECKPOINTS:
        saved = tf.train.Checkpoint(step=step, slope=slope, intercept=intercept)
        manager = tf.train.CheckpointManager(saved, CHECKPOINTS, max_to_keep=2)
        if manager.latest_checkpoint:
            saved.restore(manager.latest_checkpoint).assert_consumed()

    @tf.function
    def update(iterator):
        def on_worker(batch):
            x, y = batch
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(slope * x + intercept - y))
            for variable, gradient in zip((slope, intercept), tape.gradient(loss, (slope, intercept))):
                variable.assign_sub(RATE * gradient)
            return loss

        return strategy.run(on_worker, args=(next(iterator),))

    print(f"starts at step {step.numpy()}", flush=True)
    while step.numpy() < STEPS:
        began = time.monotonic()
        loss = coordinator.schedule(update, args=(batches,))
        coordinator.join()
        step.assign_add(1)
        print(f"step {step.numpy()} loss {loss.fetch():.6f}", flush=True)
        if manager and (step.numpy() % CHECKPOINT_STEPS == 0 or step.numpy() == STEPS):
            manager.save(checkpoint_number=step.numpy())
        time.sleep(max(0.0, STEP_SECONDS - (time.monotonic() - began)))
    print(f"done: slope {slope.numpy():.3f}, intercept {intercept.numpy():.3f}", flush=True)


def main() -> None:
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    if resolver.task_type in ("worker", "ps"):
        serve(resolver)
    else:
        train(resolver)


if __name__ == "__main__":
    main()
