import vine from '@vinejs/vine'
import pg from 'pg'

import { anyone, requires, loggedIn } from '#kernel/access'
import { respondLater } from '#http/respond_later'
import { sendJson } from '#http/send_json'
import { body } from '#kernel/body'
import { shape } from '#kernel/shape'
import type { SurfaceRoutes } from '#http/surface'

export const probeBody = body({
  name: vine.string().minLength(3).maxLength(8),
  type: vine.enum(['default', 'aggregator']).optional(),
  hidden: vine.boolean({ strict: true }).optional(),
  publicKey: vine.string().nullable().optional(),
  externalName: vine
    .string()
    .use(
      shape({
        pattern: /^[a-z0-9]+$/,
        description: 'Only lower-case letters and digits are allowed',
      })
    )
    .optional(),
  count: vine.number({ strict: true }).min(1).max(5).optional(),
  realmId: vine.string().uuid().optional(),
  arguments: vine.array(vine.object({ value: vine.string() })).optional(),
})

const opaque = { type: 'object' }

function databaseError(state: string, extra: Partial<pg.DatabaseError> = {}): pg.DatabaseError {
  const error = new pg.DatabaseError('insert into "nodes" failed', 0, 'error')
  return Object.assign(error, { code: state, ...extra })
}

const FAILURES: Record<string, () => unknown> = {
  '23505': () => databaseError('23505'),
  '23503': () => databaseError('23503', { detail: 'Key (a)=(b) is not present in table "x".' }),
  'referenced': () => databaseError('23503', { detail: 'Key is still referenced from table "x".' }),
  '23502': () => databaseError('23502', { column: 'realm_id' }),
  '22P02': () => databaseError('22P02'),
  '22001': () => databaseError('22001'),
  '53100': () => databaseError('53100'),
  '57P01': () => databaseError('57P01'),
  'refused': () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
  'unforeseen': () => new Error('select secret from vault'),
}

/**
 * Routes that exist in tests only: what the foundations do is seen through them, before and beside any real kind.
 */
export function probeRoutes(routes: SurfaceRoutes): void {
  const answers = { 200: { description: 'What was understood', schema: opaque } }
  routes
    .post(
      '/probe/bodies',
      async (ctx) => sendJson(ctx, await probeBody.validate(ctx.request.body())),
      {
        name: 'probeBody',
        summary: 'Answers the body as it was understood',
        access: anyone,
        body: probeBody,
        responses: answers,
      }
    )
    .post('/probe/raw-bodies', (ctx) => sendJson(ctx, { body: ctx.request.body() }), {
      name: 'probeRawBody',
      summary: 'Answers the body as it was parsed',
      access: anyone,
      responses: answers,
    })
    .get('/probe/failures/:name', ({ params }) => Promise.reject(FAILURES[params.name]!()), {
      name: 'probeFailure',
      summary: 'Fails in the way that is named',
      access: anyone,
      responses: answers,
    })
    .get(
      '/probe/deferred/:name',
      (ctx) => respondLater(ctx, Promise.reject(FAILURES[ctx.params.name]!())),
      {
        name: 'probeDeferred',
        summary: 'Fails in the way that is named, after the handler has returned',
        access: anyone,
        responses: answers,
      }
    )
    .get(
      '/probe/records/:id',
      (ctx) => sendJson(ctx, { id: ctx.params.id, query: ctx.request.qs() }),
      {
        name: 'probeRecord',
        summary: 'Answers the id and the query of the request',
        access: anyone,
        responses: answers,
      }
    )
    .get('/probe/identity', (ctx) => sendJson(ctx, {}), {
      name: 'probeIdentity',
      summary: 'For whoever is logged in',
      access: loggedIn,
      responses: answers,
    })
    .get('/probe/permission', (ctx) => sendJson(ctx, {}), {
      name: 'probePermission',
      summary: 'For whoever holds two permissions',
      access: requires('node_create', 'node_update'),
      responses: answers,
    })
}
