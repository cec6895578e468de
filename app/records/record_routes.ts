import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { sendJson } from '#http/send_json'
import { reportDroppedQuery } from '#http/dropped_keys'
import { acceptsEventStream } from '#http/event_stream'
import { validatedBody } from '#http/request_body'
import type { SurfaceRoutes } from '#http/surface'
import { decode } from '#query/decode'
import { describe } from '#query/describe'
import { DuplicateKey } from './duplicate_key.js'
import type { Kind } from './kind.js'
import { originOf } from '#kernel/request_origin'
import {
  createOperation,
  listOperation,
  readOperation,
  removeOperation,
  updateOperation,
} from './record_documents.js'
import { withPrecondition } from './precondition.js'
import type { RecordService } from './record_service.js'
import { serviceKeyOf, type ServiceKey } from './service_key.js'

interface RecordRouteOptions {
  /** Responds to list requests that accept an event stream. */
  readonly stream?: (ctx: HttpContext) => Promise<void>
}

type RecordHandler = (ctx: HttpContext, service: RecordService) => Promise<void>

/**
 * Registers the routes of a kind: list and read, and create, update and delete as far as it declares access for them.
 * The container resolves the service on the first request, since routes are declared before connections exist.
 */
export function recordRoutes(
  routes: SurfaceRoutes,
  kind: Kind,
  service: ServiceKey = serviceKeyOf(kind),
  { stream }: RecordRouteOptions = {}
): void {
  const { collection, access } = kind
  const record = `${collection}/:id`
  const serviceFor = resolveOnce(service)
  const by = (handle: RecordHandler) => async (ctx: HttpContext) =>
    handle(ctx, await serviceFor(ctx))
  const listing = by(list)
  routes.get(
    collection,
    stream ? (ctx) => (acceptsEventStream(ctx) ? stream(ctx) : listing(ctx)) : listing,
    listOperation(kind, { isStreamed: stream !== undefined })
  )
  routes.get(record, by(read), readOperation(kind))
  if (access.create) {
    routes.post(collection, by(create), createOperation(kind))
  }
  if (access.update) {
    routes.post(record, by(update), updateOperation(kind))
  }
  if (access.remove) {
    routes.delete(record, by(remove), removeOperation(kind))
  }
}

/**
 * Caches the service, since resolving it costs 5 % of a read. Tests swap services, so there it is resolved each time.
 */
function resolveOnce(service: ServiceKey): (ctx: HttpContext) => Promise<RecordService> {
  let cached: RecordService | undefined
  return async ({ containerResolver }) => {
    const resolved = cached ?? ((await containerResolver.make(service)) as RecordService)
    cached = app.inTest ? undefined : resolved
    return resolved
  }
}

async function list(ctx: HttpContext, service: RecordService): Promise<void> {
  const declaration = declarationFor(ctx, service.kind)
  const query = decode(declaration, queryOf(ctx))
  reportDroppedQuery(ctx, query.dropped)
  const { data, total } = await (ctx.actor
    ? service.list(originOf(ctx), query)
    : service.listOpen(query))
  const { limit, offset } = query.pagination
  const schema = describe(declaration).collectionText
  const page = `"total":${total},"limit":${limit},"offset":${offset}`
  sendJson(ctx, `{"data":${data},"meta":{${page},"schema":${schema}}}`)
}

async function read(ctx: HttpContext, service: RecordService): Promise<void> {
  const declaration = declarationFor(ctx, service.kind)
  const { selection, dropped } = decode(declaration, queryOf(ctx), 'record')
  reportDroppedQuery(ctx, dropped)
  const id = await service.idOf(ctx.params.id)
  const data = await (ctx.actor
    ? service.read(originOf(ctx), id, selection)
    : service.readOpen(id, selection))
  sendJson(ctx, `{"data":${data},"meta":{"schema":${describe(declaration).recordText}}}`)
}

async function create(ctx: HttpContext, service: RecordService): Promise<void> {
  const body = await validatedBody(ctx, service.kind.createBody!)
  sendRecord(ctx, await withAllDuplicateKeys(service, service.create(originOf(ctx), body)), 201)
}

async function update(ctx: HttpContext, service: RecordService): Promise<void> {
  const { updateBody, precondition } = service.kind
  const body = withPrecondition(ctx, precondition, await validatedBody(ctx, updateBody!))
  const change = service.update(originOf(ctx), ctx.params.id, body)
  sendRecord(ctx, await withAllDuplicateKeys(service, change), 202)
}

/** The transaction has ended by the time this catches, so the database can be queried again. */
async function withAllDuplicateKeys<T>(service: RecordService, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw error instanceof DuplicateKey ? await service.findDuplicateKeys(error) : error
  }
}

async function remove(ctx: HttpContext, service: RecordService): Promise<void> {
  const isForced = service.kind.forcible && ctx.request.qs().force === 'true'
  sendRecord(ctx, await service.remove(originOf(ctx), ctx.params.id, { isForced }), 202)
}

/** Anonymous callers query the public declaration. If a kind has none, its route has already rejected them. */
function declarationFor({ actor }: HttpContext, { declaration, openDeclaration }: Kind) {
  return actor ? declaration : (openDeclaration ?? declaration)
}

function sendRecord(ctx: HttpContext, data: string, status: number): void {
  sendJson(ctx, `{"data":${data},"meta":{}}`, status)
}

function queryOf({ request }: HttpContext): string {
  return request.parsedUrl.query ?? ''
}
