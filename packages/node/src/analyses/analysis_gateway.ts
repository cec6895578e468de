import { join } from 'node:path'

import type { DataSource } from '../data_sources/data_source.js'
import { addDataSourceRoutes } from '../gateway/data_source_routes.js'
import { addFileRoutes } from '../gateway/file_routes.js'
import { Gateway } from '../gateway/gateway.js'
import { addMessageRoutes } from '../gateway/message_routes.js'
import { addReportRoutes, type AnalysisReport } from '../gateway/report_routes.js'
import { Router } from '../gateway/router.js'
import type { AnalysisTokens } from '../gateway/tokens.js'
import { AnalysisBuckets } from '../transfers/analysis_buckets.js'
import { LocalFiles } from '../transfers/local_files.js'
import { ResultFiles } from '../transfers/result_files.js'
import { SealedFiles } from '../transfers/sealed_files.js'
import type { RunServices } from './analysis_run.js'
import type { AssignedAnalysis } from './assigned_analysis.js'

export interface AnalysisGatewayOptions {
  readonly analysis: () => AssignedAnalysis
  readonly sources: readonly DataSource[]
  readonly socket: string
  /** For files on their way. */
  readonly transferFolder: string
  readonly tokens: AnalysisTokens
  /** Aborts when the run ends. */
  readonly signal: AbortSignal
  readonly onReport: (report: AnalysisReport) => void
  /** Receives a sentence about each request that was refused. */
  readonly onRefusal: (sentence: string) => void
}

/** The gateway of one run, and what it leaves at the hub while the run lasts. */
export class AnalysisGateway {
  readonly #gateway: Gateway
  readonly #intermediate: SealedFiles

  private constructor(gateway: Gateway, intermediate: SealedFiles) {
    this.#gateway = gateway
    this.#intermediate = intermediate
  }

  static async open(
    { hub, keys, messages, policy, folder }: RunServices,
    options: AnalysisGatewayOptions
  ): Promise<AnalysisGateway> {
    const { analysis, tokens, signal } = options
    const { id, projectId } = analysis()
    const buckets = new AnalysisBuckets(hub, id)
    const intermediate = new SealedFiles(analysis, buckets, keys)
    const router = new Router()
    addReportRoutes(router, options.onReport)
    addMessageRoutes(router, analysis, messages)
    addFileRoutes(router, {
      folder: options.transferFolder,
      maxBytes: policy.fileBytes,
      results: new ResultFiles(buckets, signal),
      intermediate,
      local: new LocalFiles(join(folder, 'local', projectId), policy.localBytes),
    })
    addDataSourceRoutes(router, projectId, options.sources)
    const gateway = await Gateway.listen(options.socket, router, tokens, {
      refused: (method, path, status, reason) =>
        options.onRefusal(`${method} ${path} was answered with ${status}: ${reason}`),
    })
    return new AnalysisGateway(gateway, intermediate)
  }

  /** Ends all connections, and removes intermediate files from the hub. */
  async close(): Promise<void> {
    await this.#gateway.close()
    await this.#intermediate.removeUploaded()
  }
}
