"""An analysis from nothing to its image, as somebody writes it who has the client of the platform for Python."""

import json
import sys
import time
import uuid

import flame_hub
from connected import connected
from eventually import eventually

# Newer clients read it by another name.
NODES_VALID = next(
    name
    for name in ("distribution_nodes_valid", "build_nodes_valid")
    if name in flame_hub.models.Analysis.model_fields
)

origin, entrypoint, text = sys.argv[1:]
auth = flame_hub.auth.PasswordAuth(
    username="admin", password="start123", base_url=f"{origin}/auth/"
)
core = connected(flame_hub.CoreClient, f"{origin}/core/", auth)
people = connected(flame_hub.AuthClient, f"{origin}/auth/", auth)
storage = connected(flame_hub.StorageClient, f"{origin}/storage/", auth)
begun = time.monotonic()

core.sync_master_images()
[image] = eventually(lambda: core.find_master_images(filter={"virtualPath": "python/base"}))

project = core.create_project(name=f"study-{uuid.uuid4()}", master_image_id=image)
nodes = []
for node_type in ("default", "aggregator"):
    node = core.create_node(name=f"node-{uuid.uuid4()}", node_type=node_type)
    nodes.append(node)
    assigned = core.create_project_node(project, node)
    core.update_project_node(assigned, approval_status="approved")

analysis = core.create_analysis(project, name=f"trial-{uuid.uuid4()}", master_image_id=image)
of_analysis = {"filter": {"analysisId": analysis.id}}
taking_part = {one.node_id for one in core.find_analysis_nodes(**of_analysis)}
for node in nodes:
    if node.id not in taking_part:
        core.create_analysis_node(analysis, node)


def three_buckets():
    buckets = core.find_analysis_buckets(**of_analysis)
    return buckets if len(buckets) == 3 else None


buckets = {str(bucket.type.value): bucket for bucket in eventually(three_buckets)}
code = buckets["CODE"]
[file] = storage.upload_to_bucket(
    code.bucket_id, {"file_name": entrypoint, "content": text.encode()}
)
core.create_analysis_bucket_file(file.name, file, code.bucket_id, code, is_entrypoint=True)

core.send_analysis_command(analysis, "configurationLock")
for assigned in core.find_analysis_nodes(**of_analysis):
    core.update_analysis_node(assigned, approval_status="approved")
core.send_analysis_command(analysis, "buildStart")


def built():
    current = core.get_analysis(analysis.id)
    return current if current.build_status in ("executed", "failed") else None


ended = eventually(built)
[master] = people.find_realms(filter={"name": "master"})
client = people.create_client(name=f"program-{uuid.uuid4()}", realm_id=master)
told = {
    "id": str(ended.id),
    "buckets": sorted(buckets),
    "bucketsOfProject": len(
        core.find_analysis_buckets(filter={"analysis.projectId": project.id})
    ),
    "bucketsOfAnother": len(
        core.find_analysis_buckets(filter={"analysis.projectId": uuid.uuid4()})
    ),
    "isClientRead": people.get_client(client.id).name == client.name,
    "areNodesValid": getattr(ended, NODES_VALID),
    "buildStatus": ended.build_status,
    "buildHash": ended.build_hash,
    "seconds": time.monotonic() - begun,
}
print(json.dumps(told))
