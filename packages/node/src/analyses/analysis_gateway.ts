import { join } from 'node:path'

import type { DataSource } from '#node/data_sources/data_source'
import { addDataSourceRoutes } from '#node/gateway/data_source_routes'
import { addFileRoutes } from '#node/gateway/file_routes'
import { Gateway } from '#node/gateway/gateway'
import { JsonBodies } from '#node/gateway/json_bodies'
import { addMessageRoutes } from '#node/gateway/message_routes'
import { addReportRoutes, type AnalysisReport } from '#node/gateway/report_routes'
import { Router } from '#node/gateway/router'
import type { AnalysisTokens } from '#node/gateway/tokens'
import { AnalysisBuckets } from '#node/transfers/analysis_buckets'
import { LocalFiles } from '#node/transfers/local_files'
import { ResultFiles } from '#node/transfers/result_files'
import { SealedFiles } from '#node/transfers/sealed_files'
import type { RunServices } from './run_services.js'
import type { RunTrace } from './run_trace.js'
import type { AssignedAnalysis } from './assigned_analysis.js'

export interface AnalysisGatewayOptions {
  readonly analysis: () => AssignedAnalysis
  readonly sources: readonly DataSource[]
  readonly socket: string
  /** A folder for files in transfer. */
  readonly transferFolder: string
  readonly tokens: AnalysisTokens
  readonly trace: RunTrace
  /** Aborts when the run ends. */
  readonly signal: AbortSignal
  readonly onReport: (report: AnalysisReport) => void
  /** Receives a sentence about each request that was refused. */
  readonly onRefusal: (sentence: string) => void
}

/** The gateway of one run, with its intermediate files at the hub. */
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
    const { analysis, tokens, trace, signal } = options
    const { id, projectId } = analysis()
    const buckets = new AnalysisBuckets(hub, id)
    const intermediate = new SealedFiles({
      analysis,
      buckets,
      keys,
      signal,
      sealsAsBefore: (nodeId) => policy.sealsAsBefore(nodeId),
    })
    const router = new Router()
    const bodies = new JsonBodies()
    addReportRoutes(router, options.onReport, bodies)
    addMessageRoutes(router, analysis, messages, bodies)
    addFileRoutes(router, {
      folder: options.transferFolder,
      maxBytes: policy.fileBytes,
      results: new ResultFiles(buckets, trace, signal),
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
