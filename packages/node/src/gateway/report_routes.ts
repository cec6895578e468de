import { answerJson, answerText } from './answer.js'
import { readJson } from './json_body.js'
import type { Router } from './router.js'

const MAX_BYTES = 1024 ** 2

/** What an analysis reports of itself. */
export interface AnalysisReport {
  readonly log: string
  readonly level: string
  readonly status: string | undefined
  readonly progress: number | undefined
}

/** Health of the node, and the log and progress of the analysis. */
export function addReportRoutes(router: Router, report: (report: AnalysisReport) => void): void {
  router
    .add('none', 'GET', '/healthz', ({ response }) => answerText(response, 200, 'ok'))
    .add('node', 'POST', '/po/stream_logs', async ({ request, response }) => {
      const { log, log_type: level, status, progress } = await readJson(request, MAX_BYTES)
      report({
        log: typeof log === 'string' ? log : JSON.stringify(log ?? ''),
        level: typeof level === 'string' ? level : 'info',
        status: typeof status === 'string' ? status : undefined,
        progress: typeof progress === 'number' ? progress : undefined,
      })
      answerJson(response, 200, {})
    })
}
