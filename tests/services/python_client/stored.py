"""Buckets and their files."""

import io
import tarfile
import uuid

from hub import refused
from journey import same
from records import gone, looked_at, made

CONTENTS = {"a.txt": b"first\n", "b.bin": bytes(range(256)) * 20}


def stored(journey, hub):
    storage, kinds = hub.storage, hub.kinds
    files = []
    journey.afterwards(
        "files of a deleted bucket",
        lambda: [gone(kinds.bucket_file, file.id) for file in files],
    )
    buckets = [
        made(journey, kinds.bucket, journey.name(word), among=journey.names)
        for word in ("shelf", "drawer")
    ]
    with journey.step("upload files"):
        uploads = [{"file_name": name, "content": text} for name, text in CONTENTS.items()]
        files += storage.upload_to_bucket(buckets[0], *uploads)
        same(
            "What was uploaded",
            sizes(files),
            {name: len(text) for name, text in CONTENTS.items()},
        )

    for file in files:
        looked_at(journey, kinds.bucket_file, file, among={"bucketId": buckets[0].id})
        with journey.step("stream a file"):
            same("Its content", streamed(storage.stream_bucket_file, file), CONTENTS[file.name])

    with journey.step("stream a bucket"):
        archive = streamed(storage.stream_bucket_tarball, buckets[0])
        same("Its content", unpacked(archive), CONTENTS)
        same(
            "What is in the empty one",
            unpacked(streamed(storage.stream_bucket_tarball, buckets[1])),
            {},
        )

    with journey.step("stream what is missing"):
        for way, text in (
            (storage.stream_bucket_file, "The bucket-file was not found"),
            (storage.stream_bucket_tarball, "The bucket was not found"),
        ):
            refused(lambda: streamed(way, uuid.uuid4()), status=404, text=text)

    with journey.step("delete a file"):
        kinds.bucket_file.delete(files[0])
        gone(kinds.bucket_file, files[0].id)


def sizes(files):
    return {file.name: file.size for file in files}


def streamed(way, one):
    return b"".join(way(one))


def unpacked(archive):
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {member.name: tar.extractfile(member).read() for member in tar.getmembers()}
