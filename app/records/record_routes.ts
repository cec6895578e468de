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
  /** Answers who asks for a list as a stream of events. */
  readonly stream?: (ctx: HttpContext) => Promise<void>
}

type RecordHandler = (ctx: HttpContext, service: RecordService) => Promise<void>

/**
 * Gives a kind the routes it declares: list and read, and create, update and delete where callers may do that. Its service is
 * made by the container, which is asked with the first request: routes are declared before there are connections.
 */
export function recordRoutes(
  routes: SurfaceRoutes,
  kind: Kind,
  service: ServiceKey = serviceKeyOf(kind),
  { stream: follow }: RecordRouteOptions = {}
): void {
  const { collection, access } = kind
  const record = `${collection}/:id`
  const serviceFor = resolveOnce(service)
  const by = (handle: RecordHandler) => async (ctx: HttpContext) =>
    handle(ctx, await serviceFor(ctx))
  const listing = by(list)
  routes.get(
    collection,
    follow ? (ctx) => (acceptsEventStream(ctx) ? follow(ctx) : listing(ctx)) : listing,
    listOperation(kind, { isFollowed: follow !== undefined })
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

/** The answer stays the same but in tests, which swap services, and to ask for it costs as much as a twentieth of a read. */
function resolveOnce(service: ServiceKey): (ctx: HttpContext) => Promise<RecordService> {
  let made: RecordService | undefined
  return async ({ containerResolver }) => {
    const found = made ?? ((await containerResolver.make(service)) as RecordService)
    made = app.inTest ? undefined : found
    return found
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

/** The write is over where it fails here, so that the database can be asked again. */
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

/** A caller who is not logged in has fewer words to ask with; one who may not ask at all was refused by the route. */
function declarationFor({ actor }: HttpContext, { declaration, openDeclaration }: Kind) {
  return actor ? declaration : (openDeclaration ?? declaration)
}

function sendRecord(ctx: HttpContext, data: string, status: number): void {
  sendJson(ctx, `{"data":${data},"meta":{}}`, status)
}

function queryOf({ request }: HttpContext): string {
  return request.parsedUrl.query ?? ''
}
