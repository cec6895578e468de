import type { HttpContext } from '@adonisjs/core/http'

import { answer } from '#http/answer'
import { reportDroppedQuery } from '#http/dropped_keys'
import { bodyOf } from '#http/sent_body'
import type { SurfaceRoutes } from '#http/surface'
import { decode } from '#query/decode'
import { describe } from '#query/describe'
import { KeyTaken } from './key_taken.js'
import type { Kind } from './kind.js'
import { originOf } from '#kernel/request_origin'
import {
  createOperation,
  listOperation,
  readOperation,
  removeOperation,
  updateOperation,
} from './record_documents.js'
import type { RecordService } from './record_service.js'
import { serviceKeyOf, type ServiceKey } from './service_key.js'

type Handling = (ctx: HttpContext, service: RecordService) => Promise<void>

/**
 * Gives a kind the routes it declares: list and read, and create, update and delete where callers may do that. Its service is
 * made by the container, which is asked with each request: routes are declared before there are connections.
 */
export function recordRoutes(
  routes: SurfaceRoutes,
  kind: Kind,
  service: ServiceKey = serviceKeyOf(kind)
): void {
  const { collection, access } = kind
  const record = `${collection}/:id`
  const by = (handle: Handling) => async (ctx: HttpContext) =>
    handle(ctx, (await ctx.containerResolver.make(service)) as RecordService)
  routes.get(collection, by(list), listOperation(kind))
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
  answer(ctx, `{"data":${data},"meta":{${page},"schema":${schema}}}`)
}

async function read(ctx: HttpContext, service: RecordService): Promise<void> {
  const declaration = declarationFor(ctx, service.kind)
  const { selection, dropped } = decode(declaration, queryOf(ctx), 'record')
  reportDroppedQuery(ctx, dropped)
  const id = await service.idOf(ctx.params.id)
  const data = await (ctx.actor
    ? service.read(originOf(ctx), id, selection)
    : service.readOpen(id, selection))
  answer(ctx, `{"data":${data},"meta":{"schema":${describe(declaration).recordText}}}`)
}

async function create(ctx: HttpContext, service: RecordService): Promise<void> {
  const body = await bodyOf(ctx, service.kind.createBody!)
  written(ctx, await namingTakenKeys(service, service.create(originOf(ctx), body)), 201)
}

async function update(ctx: HttpContext, service: RecordService): Promise<void> {
  const body = await bodyOf(ctx, service.kind.updateBody!)
  const change = service.update(originOf(ctx), ctx.params.id, body)
  written(ctx, await namingTakenKeys(service, change), 202)
}

/** The write is over where it fails here, so that the database can be asked again. */
async function namingTakenKeys<T>(service: RecordService, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw error instanceof KeyTaken ? await service.allTaken(error) : error
  }
}

async function remove(ctx: HttpContext, service: RecordService): Promise<void> {
  written(ctx, await service.remove(originOf(ctx), ctx.params.id), 202)
}

/** Whoever is not logged in asks in fewer words; the door let nobody in who may not ask at all. */
function declarationFor({ actor }: HttpContext, { declaration, openDeclaration }: Kind) {
  return actor ? declaration : (openDeclaration ?? declaration)
}

function written(ctx: HttpContext, data: string, status: number): void {
  answer(ctx, `{"data":${data},"meta":{}}`, status)
}

function queryOf({ request }: HttpContext): string {
  return request.parsedUrl.query ?? ''
}
