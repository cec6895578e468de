"""Projects and analyses, and what every analysis consists of."""

from eventually import eventually
from journey import same
from records import deleted, looked_at, made

IMAGE = "python/base"
NODE_TYPES = ("default", "aggregator")
ARGUMENTS = [{"value": "--fast", "position": "before"}, {"value": "all", "position": "after"}]
CODE = b"echo hello\n"


class Analyses:
    def __init__(self, journey, hub):
        self.journey, self.hub = journey, hub
        self.core, self.storage, self.kinds = hub.core, hub.storage, hub.kinds

    def images(self):
        core = self.core
        with self.journey.step("synchronize master images"):
            core.sync_master_images()
            [self.image] = eventually(
                lambda: core.find_master_images(filter={"virtualPath": IMAGE})
            )
            same("The image", core.get_master_image(self.image.id), self.image)
            of_group = {"virtualPath": self.image.group_virtual_path}
            [group] = core.find_master_image_groups(filter=of_group)
            same("Its group", core.get_master_image_group(group.id), group)

    def projects(self):
        for word in ("lungs", "hearts"):
            changed = {
                **self.renamed(word),
                "description": "Renamed",
                "master_image_id": self.image.id,
            }
            self.project = self.made(
                "project", self.journey.name(word), among=self.journey.names, change=changed
            )

    def analysis(self, word):
        given = {
            "name": self.journey.name(word),
            "master_image_id": self.image,
            "image_command_arguments": ARGUMENTS[:1],
        }
        changed = {**self.renamed(word), "image_command_arguments": ARGUMENTS}
        return self.made(
            "analysis", self.project, **given, among=self.journey.names, change=changed
        )

    def node(self, word, node_type):
        with self.journey.step(f"create {node_type} node"):
            name = self.journey.name(f"{word}-{node_type}")
            return self.kinds.node.create(name, node_type=node_type)

    def buckets(self, analysis):
        of_analysis = {"analysisId": analysis.id}
        with self.journey.step("find the buckets of an analysis"):
            found = eventually(lambda: self.core.find_analysis_buckets(filter=of_analysis))
            buckets = {bucket.type.value: bucket for bucket in found}
            same("Their types", sorted(buckets), ["CODE", "RESULT", "TEMP"])
        for bucket in found:
            looked_at(self.journey, self.kinds.analysis_bucket, bucket, among=of_analysis)
        return buckets

    def code(self, bucket, *names):
        """The rows of files that were uploaded, the first of which is the entry point."""
        of_bucket = {"analysisBucketId": bucket.id}
        kind = self.kinds.analysis_bucket_file
        with self.journey.step("upload code"):
            uploads = [{"file_name": name, "content": CODE} for name in names]
            files = self.storage.upload_to_bucket(bucket.bucket_id, *uploads)
            eventually(lambda: len(kind.find(filter=of_bucket)) == len(names))
            rows = {row.path: row for row in kind.find(filter=of_bucket)}
            told = {name: row.bucket_file_id for name, row in rows.items()}
            same("Its rows", told, {file.path: file.id for file in files})
            again = kind.create(files[0].path, files[0], bucket.bucket_id, bucket)
            same("A row that is there", again.id, rows[names[0]].id)
        for name in names:
            change = {"is_entrypoint": name == names[0]}
            rows[name] = looked_at(
                self.journey, kind, rows[name], among=of_bucket, change=change
            )
        return [rows[name] for name in names]

    def delete_row_then_file(self, row):
        deleted(self.kinds.analysis_bucket_file, row)
        self.storage.delete_bucket_file(row.bucket_file_id)
        self.miss_file(row)

    def delete_file_with_row(self, row):
        self.storage.delete_bucket_file(row.bucket_file_id)
        same("What is at storage", self.storage.get_bucket_file(row.bucket_file_id), None)
        eventually(lambda: self.kinds.analysis_bucket_file.get(row) is None)

    def miss_file(self, row):
        eventually(lambda: self.storage.get_bucket_file(row.bucket_file_id) is None)

    def made(self, kind, *given, **named):
        return made(self.journey, getattr(self.kinds, kind), *given, **named)

    def renamed(self, word):
        return {"name": self.journey.name(f"new-{word}"), "display_name": word}
