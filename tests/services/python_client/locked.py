"""An analysis that is locked and built, and deleted so: first its nodes, then its code."""

import functools

from analyses import CODE, NODE_TYPES
from eventually import eventually
from hub import refused
from journey import same
from records import deleted, gone


def locked(analyses):
    journey, core = analyses.journey, analyses.core
    analysis = analyses.analysis("trial")
    nodes = [analyses.node("trial", node_type) for node_type in NODE_TYPES]
    parts = {node.type: assigned(analyses, analysis, node) for node in nodes}
    buckets = analyses.buckets(analysis)
    code = buckets["CODE"]
    main, other, last = analyses.code(code, "main.sh", "other.sh", "last.sh")
    steps = (
        ("delete the row of a bucket under a lock", lambda: delete_bucket(analyses, code)),
        ("delete a file under a lock", lambda: analyses.delete_file_with_row(last)),
        ("delete a row under a lock", lambda: analyses.delete_row_then_file(main)),
        ("find a file without its row", lambda: analyses.miss_file(other)),
        ("delete nodes under a lock", lambda: delete_nodes(analyses, analysis, nodes)),
    )
    for step in steps:
        journey.afterwards(*step)

    lock(journey, core, analysis)
    with journey.step("approve a locked analysis"):
        for part in parts.values():
            core.update_analysis_node(part, approval_status="approved")
    with journey.step("upload code under a lock"):
        late = {"file_name": "late.sh", "content": CODE}
        upload = functools.partial(analyses.storage.upload_to_bucket, code.bucket_id, late)
        refused(upload, status=409, text="locked analysis")
    build(journey, core, analysis)
    result(analyses, buckets["RESULT"])
    with journey.step("delete approved code"):
        deleted(analyses.kinds.analysis_bucket_file, other)
        approvals = {
            kind: core.get_analysis_node(part).approval_status for kind, part in parts.items()
        }
        same("The approvals", approvals, {"default": None, "aggregator": "approved"})
        again = functools.partial(core.send_analysis_command, analysis, "buildStart")
        refused(again, status=400, text="approv")


def assigned(analyses, analysis, node):
    core = analyses.core
    with analyses.journey.step("assign a node"):
        taking_part = core.create_project_node(analyses.project, node)
        core.update_project_node(taking_part, approval_status="approved")
        return core.create_analysis_node(analysis, node)


def lock(journey, core, analysis):
    for command in ("configurationLock", "configurationUnlock", "configurationLock"):
        with journey.step(f"send {command}"):
            told = core.send_analysis_command(analysis, command)
            is_locked = command == "configurationLock"
            same("Whether it is locked", told.configuration_locked, is_locked)


def build(journey, core, analysis):
    of_analysis = {"analysisId": analysis.id}

    def ended():
        status = core.get_analysis(analysis).build_status
        return status if status in ("executed", "failed") else None

    with journey.step("build an analysis"):
        told = core.send_analysis_command(analysis, "buildStart")
        same("At first", told.build_status, "starting")
        same("At last", eventually(ended), "executed")
    with journey.step("delete the log of an analysis"):
        eventually(lambda: core.find_analysis_logs(filter=of_analysis))
        core.delete_analysis_logs(analysis)
        same("What is left", core.find_analysis_logs(filter=of_analysis), [])


def result(analyses, bucket):
    of_bucket = {"analysisBucketId": bucket.id}
    file = {"file_name": "result.csv", "content": b"mean,4\n"}
    with analyses.journey.step("upload a result"):
        [stored] = analyses.storage.upload_to_bucket(bucket.bucket_id, file)
        [row] = eventually(lambda: analyses.core.find_analysis_bucket_files(filter=of_bucket))
        same("Its row", (row.bucket_file_id, row.path), (stored.id, stored.path))


def delete_bucket(analyses, bucket):
    deleted(analyses.kinds.analysis_bucket, bucket)
    analyses.storage.delete_bucket(bucket.bucket_id)
    gone(analyses.kinds.bucket, bucket.bucket_id)


def delete_nodes(analyses, analysis, nodes):
    for node in nodes:
        deleted(analyses.kinds.node, node)
    left = analyses.core.find_analysis_nodes(filter={"analysisId": analysis.id})
    same("Who still takes part", left, [])
