import type { HttpContext } from '@adonisjs/core/http'

import { isKind, requireThat } from '#auth/verification/checks'
import { sendJson } from '#http/send_json'
import type { Parameter, SurfaceRoutes } from '#http/surface'
import { requiresInMasterRealm } from '#kernel/access'
import { dataResponse, exactObject, type JsonSchema } from '#kernel/json_schema'
import { actorOf } from '#kernel/request_origin'
import { storageReach } from './storage_reach.js'

const IDS: JsonSchema = { type: 'array', items: { type: 'string' } }

const SCHEMA = dataResponse(
  exactObject({
    program: { type: ['string', 'null'] },
    analyses: IDS,
    codeBuckets: IDS,
    types: IDS,
    realmId: { type: ['string', 'null'] },
  })
)

const parameter = (name: string, description: string): Parameter => ({
  name,
  description,
  schema: { type: 'string' },
})

/** The route by which storage in another process learns who takes part in which analyses. */
export function storageReachRoutes(routes: SurfaceRoutes): void {
  routes.get('/storage-reach', read, {
    name: 'readStorageReach',
    summary:
      'For the storage service: read the analyses of a caller, the types of a bucket, or the realm of an analysis',
    access: requiresInMasterRealm('bucket_update', 'bucket_delete'),
    query: [
      parameter('kind', 'What the caller is: user, client or robot'),
      parameter('id', 'The id of the caller'),
      parameter('decidesFor', 'The realm for whose nodes the caller decides'),
      parameter('bucketId', 'The bucket whose types are asked for'),
      parameter('analysisId', 'The analysis whose realm is asked for'),
    ],
    responses: { 200: { description: 'The requested values', schema: SCHEMA } },
  })
}

async function read(ctx: HttpContext): Promise<void> {
  requireThat(actorOf(ctx), isKind('client', 'robot'))
  const text = (name: string): string => String(ctx.request.qs()[name] ?? '')
  const [{ program, analyses, codeBuckets }, types, realmId] = await Promise.all([
    storageReach.of({ kind: text('kind'), id: text('id'), decidesFor: text('decidesFor') }),
    storageReach.typesOf(text('bucketId')),
    storageReach.realmOf(text('analysisId')),
  ])
  const data = {
    program,
    analyses: [...analyses],
    codeBuckets: [...codeBuckets],
    types,
    realmId: realmId ?? null,
  }
  sendJson(ctx, { data, meta: {} })
}
