"""An analysis that was never locked: each part is deleted by itself, the analysis last."""

import functools

from analyses import NODE_TYPES
from eventually import eventually
from infrastructure import credentials
from journey import same
from records import deleted


def draft(analyses):
    journey, core, kinds = analyses.journey, analyses.core, analyses.kinds
    analysis = analyses.analysis("draft")
    for node_type in NODE_TYPES:
        node = analyses.node("draft", node_type)
        journey.afterwards("delete node", functools.partial(deleted, kinds.node, node))
        part = rejected(analyses, analysis, node)
    logs(journey, core, {"analysis_id": analysis.id, "node_id": part.node_id})
    code = analyses.buckets(analysis)["CODE"]
    main, other = analyses.code(code, "main.sh", "other.sh")
    journey.afterwards(
        "delete a row, then its file", lambda: analyses.delete_row_then_file(main)
    )
    journey.afterwards(
        "delete a file with its row", lambda: analyses.delete_file_with_row(other)
    )
    bucket = analyses.made("bucket", journey.name("more"), among=journey.names)
    analyses.made(
        "analysis_bucket", "RESULT", bucket, analysis, among={"analysisId": analysis.id}
    )
    credentials(
        journey,
        analyses.hub,
        analysis,
        functools.partial(core.get_analysis_client_credentials, analysis),
        functools.partial(core.update_analysis_client_credentials, analysis),
        keeps_name=True,
    )


def rejected(analyses, analysis, node):
    refusal = {"approval_status": "rejected", "comment": "Not yet"}
    progress = {**refusal, "execution_status": "executing", "execution_progress": 40}
    project = analyses.project
    analyses.made(
        "project_node", project, node, among={"projectId": project.id}, change=refusal
    )
    return analyses.made(
        "analysis_node", analysis, node, among={"analysisId": analysis.id}, change=progress
    )


def logs(journey, core, of_part):
    def told():
        return core.find_analysis_node_logs(filter=of_part)

    with journey.step("log for a node of an analysis"):
        log = core.create_analysis_node_log(**of_part, level="warn", message="Look")
        same("What was told", eventually(told), [log])
        core.delete_analysis_node_logs(**of_part)
        same("What is left", told(), [])
