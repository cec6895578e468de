import { setTimeout as pause } from 'node:timers/promises'

import { upload } from '#hubctl/commands/bucket/upload'
import { EXIT } from '#hubctl/exit_codes'
import { findAnalysisBucket } from '#hubctl/kinds/analysis_bucket'
import { findRecord, type NamedRecord } from '#hubctl/kinds/find_record'
import { pathOf } from '#hubctl/kinds/kind'
import {
  ANALYSES,
  ANALYSIS_BUCKET_FILES,
  ANALYSIS_NODES,
  MASTER_IMAGES,
  NODES,
  PROJECTS,
} from '#hubctl/kinds/record_collections'
import type { Output } from '#hubctl/output/output'
import type { Api } from '#hubctl/platform/api'
import { allOf } from '#hubctl/platform/pages'
import { Problem } from '#hubctl/problem'
import { waitForCodeFile } from '#hubctl/commands/analysis_entrypoint'
import type { CodeFile } from './code_folder.js'
import type { RunProgress } from './run_progress.js'

export interface NewAnalysis {
  readonly project: string
  readonly name: string
  readonly image: string
  readonly entrypoint: string
  readonly node?: readonly string[]
  readonly code: readonly CodeFile[]
}

export interface RunningAnalysis {
  readonly id: string
  readonly name: string
}

const BUCKET_TIMEOUT_MS = 60_000
const POLL_MS = 250

/** Creates an analysis with its nodes, its code and its entrypoint. */
export async function createAnalysis(
  api: Api,
  wanted: NewAnalysis,
  output: Output,
  progress: RunProgress
): Promise<RunningAnalysis> {
  const { name, code, entrypoint } = wanted
  const project = await findRecord(api, PROJECTS, wanted.project)
  const image = await findImage(api, wanted.image)
  const created = await api.change<{ data: NamedRecord }>('POST', ANALYSES.service, ANALYSES.path, {
    name,
    projectId: project.id,
    masterImageId: image.id,
  })
  const { id: analysisId, name: storedName = name } = created!.data
  const analysis = { id: analysisId, name: storedName }
  await chooseNodes(api, analysis.id, wanted.node)
  progress.step(`Created the analysis ${analysis.name}`)
  const { bucketId } = await codeBucket(api, analysis.id)
  for (const { file, path } of code) {
    await upload(api, { file, bucketId, path }, output)
  }
  const { id } = await waitForCodeFile(api, analysis.id, entrypoint)
  const file = pathOf(ANALYSIS_BUCKET_FILES, id)
  await api.change('POST', ANALYSIS_BUCKET_FILES.service, file, { root: true })
  progress.step(`Uploaded ${code.length === 1 ? entrypoint : `${code.length} files`}`)
  return analysis
}

async function findImage(api: Api, path: string): Promise<NamedRecord> {
  const [image] = await allOf<NamedRecord>(api, MASTER_IMAGES.service, MASTER_IMAGES.path, {
    query: [['filter[virtualPath]', path]],
  })
  if (!image) {
    throw new Problem(EXIT.notFound, `There is no master image ${path}.`, [
      'See those there are: hubctl get master-images',
    ])
  }
  return image
}

/** Approved nodes of the project are assigned at the creation; other choices change that. */
async function chooseNodes(
  api: Api,
  analysisId: string,
  names: readonly string[] | undefined
): Promise<void> {
  if (!names) {
    return
  }
  const { service, path } = ANALYSIS_NODES
  const wanted = await Promise.all(names.map((name) => findRecord(api, NODES, name)))
  const ids = new Set(wanted.map(({ id }) => id))
  const assigned = await allOf<NamedRecord & { nodeId: string }>(api, service, path, {
    query: [['filter[analysisId]', analysisId]],
  })
  for (const { id, nodeId } of assigned) {
    if (!ids.delete(nodeId)) {
      await api.change('DELETE', service, pathOf(ANALYSIS_NODES, id))
    }
  }
  for (const nodeId of ids) {
    await api.change('POST', service, path, { analysisId, nodeId })
  }
}

/** Storage creates the buckets of an analysis after the analysis. */
async function codeBucket(api: Api, analysisId: string): Promise<{ bucketId: string }> {
  for (const deadline = Date.now() + BUCKET_TIMEOUT_MS; ; await pause(POLL_MS)) {
    try {
      return await findAnalysisBucket(api, analysisId, 'code')
    } catch (error) {
      const isMissing = error instanceof Problem && error.exitCode === EXIT.notFound
      if (!isMissing || Date.now() > deadline) {
        throw error
      }
    }
  }
}
