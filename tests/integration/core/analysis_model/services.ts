import app from '@adonisjs/core/services/app'

import { BucketLocks } from '#core/code_locks/bucket_locks'
import { serviceOrigin } from '#auth/service_origin'
import { AnalysisBucketFileService } from '#core/analysis_bucket_files/analysis_bucket_file_service'
import { BuildSignatures } from '#core/build_images/build_signatures'
import { AnalysisBucketService } from '#core/analysis_buckets/analysis_bucket_service'
import { AnalysisCommands } from '#core/analysis_life/analysis_commands'
import { AnalysisNodeService } from '#core/analysis_nodes/analysis_node_service'
import { AnalysisService } from '#core/analyses/analysis_service'
import { AnalysisUpkeep } from '#core/analyses/analysis_upkeep'
import { CodeLocks } from '#core/code_locks/code_locks'
import { lockReleaseWorker } from '#core/code_locks/lock_releases'
import { corePool } from '#core/database'
import { MasterImageService } from '#core/master_images/master_image_service'
import { NodeService } from '#core/nodes/node_service'
import { ProjectNodeService } from '#core/project_nodes/project_node_service'

/** The services of the platform, with a storage whose damaged files the test sets. */
export async function services() {
  const { container } = app
  const [analyses, analysisNodes, upkeep] = await Promise.all([
    container.make(AnalysisService),
    container.make(AnalysisNodeService),
    container.make(AnalysisUpkeep),
  ])
  const damaged = new Set<string>()
  const storedCode = {
    findDamaged: async (ids: readonly string[]) => ids.filter((id) => damaged.has(id)),
  }
  const queues = { hasConsumers: async () => true }
  const pool = corePool()
  const signatures = await container.make(BuildSignatures)
  const codeLocks = await container.make(CodeLocks)
  const locks = await container.make(BucketLocks)
  const logger = await container.make('logger')
  return {
    pool,
    releases: lockReleaseWorker({ pool, locks, logger }),
    analyses,
    analysisNodes,
    damaged,
    commands: new AnalysisCommands(
      pool,
      analyses,
      analysisNodes,
      upkeep,
      codeLocks,
      queues,
      storedCode,
      signatures
    ),
    buckets: await container.make(AnalysisBucketService),
    files: await container.make(AnalysisBucketFileService),
    images: await container.make(MasterImageService),
    nodes: await container.make(NodeService),
    projectNodes: await container.make(ProjectNodeService),
    platform: await serviceOrigin(),
  }
}

export type Services = Awaited<ReturnType<typeof services>>
