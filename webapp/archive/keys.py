"""The keys of tasks about a member's own data."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, ZSet

data_tasks = MemberKey(
    "data_tasks",
    Hash(),
    private=True,
    bound="four fields for each of three kinds",
    doc="""The last task of each kind (`archive`, `import` and `posts`): `<kind>` (JSON: Task of
    archive/tasks.py), `<kind>:at` (unix ms, when it was started), `<kind>:lease` (of the worker
    that is at it), `<kind>:tries` (claims since it last got on).""",
)

due_tasks = PartitionKey(
    "due_data_tasks",
    ZSet("`uid:kind`", "when a worker may claim it, unix ms"),
    bound="one entry for each task that is not finished",
    doc="The tasks that wait for a worker, or that one is at.",
)
