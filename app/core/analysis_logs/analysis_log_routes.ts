import type { HttpContext } from '@adonisjs/core/http'

import { analysisNodeLogBody } from './analysis_log.js'
import { AnalysisLogService } from './analysis_log_service.js'
import { CREATE_NODE_LOG, listing, removing } from './log_documents.js'
import { readLogDeletion, readLogQuery } from './log_query.js'
import { ANALYSIS, ANALYSIS_AT_NODE, type LogSubject } from './log_subject.js'
import { sendFollowed } from '#auth/followed'
import { answer } from '#http/answer'
import { wantsEvents } from '#http/event_stream'
import { bodyOf } from '#http/sent_body'
import type { SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'
import { describe } from '#query/describe'

/** The routes of what was logged of analyses, as a whole and at their nodes. */
export function analysisLogRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/analysis-logs', list(ANALYSIS), listing(ANALYSIS))
    .delete('/analysis-logs', remove(ANALYSIS), removing(ANALYSIS))
    .get('/analysis-node-logs', list(ANALYSIS_AT_NODE), listing(ANALYSIS_AT_NODE))
    .post('/analysis-node-logs', create, CREATE_NODE_LOG)
    .delete('/analysis-node-logs', remove(ANALYSIS_AT_NODE), removing(ANALYSIS_AT_NODE))
}

const serviceFor = (ctx: HttpContext) => ctx.containerResolver.make(AnalysisLogService)

function list(subject: LogSubject) {
  return async (ctx: HttpContext) => {
    const query = readLogQuery(ctx, subject)
    const logs = await serviceFor(ctx)
    if (wantsEvents(ctx)) {
      const { actor } = originOf(ctx)
      return sendFollowed(ctx, 'log', (follow) => logs.follow(actor, query, follow))
    }
    const { records, total } = await logs.list(originOf(ctx).actor, query)
    const { limit, offset } = query.part
    const page = `"total":${total},"limit":${limit},"offset":${offset}`
    const schema = describe(subject.vocabulary).collectionText
    answer(ctx, `{"data":[${records.join()}],"meta":{${page},"schema":${schema}}}`)
  }
}

async function create(ctx: HttpContext): Promise<void> {
  const body = await bodyOf(ctx, analysisNodeLogBody)
  const logs = await serviceFor(ctx)
  const line = await logs.create(originOf(ctx).actor, body)
  answer(ctx, { ...line, data: line, meta: {} }, 202)
}

function remove(subject: LogSubject) {
  return async (ctx: HttpContext) => {
    const query = readLogDeletion(ctx, subject)
    const logs = await serviceFor(ctx)
    await logs.remove(originOf(ctx).actor, query)
    answer(ctx, 'null', 202)
  }
}
