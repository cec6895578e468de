import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import { reportDroppedQuery } from '#http/dropped_keys'
import { acceptsEventStream } from '#http/event_stream'
import { validatedBody } from '#http/request_body'
import type { SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'
import { decodeLogDeletion, decodeLogQuery, type LogQuery } from '#query/log_query'
import { sendRecordStream } from '#auth/record_stream'
import { logBody } from './log_body.js'
import { createLog, deleteLogs, listLogs } from './log_documents.js'
import type { LogList } from './log_store.js'
import { LogService } from './log_service.js'

/** The routes to write, list, stream and delete log lines. */
export function logRoutes(routes: SurfaceRoutes): void {
  routes
    .post('/logs', create, createLog)
    .get('/logs', (ctx) => (acceptsEventStream(ctx) ? stream(ctx) : list(ctx)), listLogs)
    .delete('/logs', remove, deleteLogs)
}

async function create(ctx: HttpContext): Promise<void> {
  const { actor } = originOf(ctx)
  const body = await validatedBody(ctx, logBody)
  const logs = await ctx.containerResolver.make(LogService)
  sendJson(ctx, `{"data":${await logs.create(actor, body)},"meta":{}}`, 201)
}

async function list(ctx: HttpContext): Promise<void> {
  const { actor } = originOf(ctx)
  const query = queryOf(ctx)
  const logs = await ctx.containerResolver.make(LogService)
  sendJson(ctx, pageBody(await logs.list(actor, query), query.pagination))
}

async function stream(ctx: HttpContext): Promise<void> {
  const { actor } = originOf(ctx)
  const query = queryOf(ctx)
  const logs = await ctx.containerResolver.make(LogService)
  await sendRecordStream(ctx, 'log', (options) => logs.tail(actor, query, options))
}

async function remove(ctx: HttpContext): Promise<void> {
  const origin = originOf(ctx)
  const text = ctx.request.parsedUrl.query ?? ''
  const logs = await ctx.containerResolver.make(LogService)
  await logs.remove(origin, decodeLogDeletion(text), text)
  sendJson(ctx, 'null', 202)
}

function pageBody({ records, total }: LogList, { limit, offset }: LogQuery['pagination']): string {
  const meta = JSON.stringify({ total, limit, offset })
  return `{"data":[${records.join()}],"meta":${meta}}`
}

function queryOf(ctx: HttpContext): LogQuery {
  const query = decodeLogQuery(ctx.request.parsedUrl.query ?? '')
  reportDroppedQuery(ctx, query.dropped)
  return query
}
