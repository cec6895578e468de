import { tryParseJson } from '#kernel/try_parse_json'

import { answerJson, answerText } from './answer.js'
import type { JsonBodies } from './json_bodies.js'
import type { JsonFields } from './json_fields.js'
import type { Router } from './router.js'

const BODY = { maxBytes: 1024 ** 2, names: ['log', 'log_type', 'status', 'progress'] }

/** The reports of an analysis about itself. */
export interface AnalysisReport {
  readonly log: string
  readonly level: string
  readonly status: string | undefined
  readonly progress: number | undefined
}

/** Routes for the health of the node, and for log and progress of the analysis. */
export function addReportRoutes(
  router: Router,
  report: (report: AnalysisReport) => void,
  bodies: JsonBodies
): void {
  router
    .add('none', 'GET', '/healthz', ({ response }) => answerText(response, 200, 'ok'))
    .add('node', 'POST', '/po/stream_logs', async ({ request, response }) => {
      await bodies.withFields(request, BODY, (fields) => report(reportIn(fields)))
      answerJson(response, 200, {})
    })
}

/** A log message other than a text is shown as JSON. */
function reportIn({ log = '""', log_type: type, status, progress }: JsonFields): AnalysisReport {
  const number: unknown = tryParseJson(progress ?? '')
  return {
    log: textIn(log) ?? log,
    level: textIn(type) ?? 'info',
    status: textIn(status),
    progress: typeof number === 'number' ? number : undefined,
  }
}

const textIn = (json = ''): string | undefined =>
  json.startsWith('"') ? (JSON.parse(json) as string) : undefined
