import type { HttpContext } from '@adonisjs/core/http'

import { analysisNodeLogBody } from './analysis_log.js'
import { AnalysisLogService } from './analysis_log_service.js'
import { CREATE_NODE_LOG, describeList, describeRemoval } from './log_documents.js'
import { readLogDeletion, readLogQuery } from './log_query.js'
import { ANALYSIS, ANALYSIS_AT_NODE, type LogSubject } from './log_subject.js'
import { sendRecordStream } from '#auth/record_stream'
import { sendJson } from '#http/send_json'
import { acceptsEventStream } from '#http/event_stream'
import { validatedBody } from '#http/request_body'
import type { SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'
import { describe } from '#query/describe'

/** The routes of the logs of analyses, as a whole and per node. */
export function analysisLogRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/analysis-logs', list(ANALYSIS), describeList(ANALYSIS))
    .delete('/analysis-logs', remove(ANALYSIS), describeRemoval(ANALYSIS))
    .get('/analysis-node-logs', list(ANALYSIS_AT_NODE), describeList(ANALYSIS_AT_NODE))
    .post('/analysis-node-logs', create, CREATE_NODE_LOG)
    .delete('/analysis-node-logs', remove(ANALYSIS_AT_NODE), describeRemoval(ANALYSIS_AT_NODE))
}

const serviceFor = (ctx: HttpContext) => ctx.containerResolver.make(AnalysisLogService)

function list(subject: LogSubject) {
  return async (ctx: HttpContext) => {
    const query = readLogQuery(ctx, subject)
    const logs = await serviceFor(ctx)
    if (acceptsEventStream(ctx)) {
      const { actor } = originOf(ctx)
      return sendRecordStream(ctx, 'log', (options) => logs.tail(actor, query, options))
    }
    const { records, total } = await logs.list(originOf(ctx).actor, query)
    const { limit, offset } = query.page
    const page = `"total":${total},"limit":${limit},"offset":${offset}`
    const schema = describe(subject.vocabulary).collectionText
    sendJson(ctx, `{"data":[${records.join()}],"meta":{${page},"schema":${schema}}}`)
  }
}

async function create(ctx: HttpContext): Promise<void> {
  const body = await validatedBody(ctx, analysisNodeLogBody)
  const logs = await serviceFor(ctx)
  const line = await logs.create(originOf(ctx).actor, body)
  sendJson(ctx, { ...line, data: line, meta: {} }, 202)
}

function remove(subject: LogSubject) {
  return async (ctx: HttpContext) => {
    const query = readLogDeletion(ctx, subject)
    const logs = await serviceFor(ctx)
    await logs.remove(originOf(ctx), subject.vocabulary.name, query)
    sendJson(ctx, 'null', 202)
  }
}
