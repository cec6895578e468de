import type { HttpContext } from '@adonisjs/core/http'

import type { DeadLetter } from '#bus/dead_letters'
import { sendJson } from '#http/send_json'
import type { ResponseDeclaration, SurfaceRoutes } from '#http/surface'
import { httpSettings } from '#http/http_settings'
import type { JsonSchema } from '#kernel/json_schema'
import { EntityNotFound } from '#kernel/failures'
import { originOf } from '#kernel/request_origin'
import { Administration } from './administration.js'
import { OPERATOR_ACCESS } from '#auth/operator_access'
import { InstallationStatus } from './installation_status.js'

/** The sweeps that callers can run. All others have a short schedule. */
const SWEEPS: ReadonlySet<string> = new Set(['events', 'messages', 'objects'])

const TEXT: JsonSchema = { type: 'string' }
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }

/** The content of a message is not included, since it may be secret. */
const LETTER: JsonSchema = {
  type: 'object',
  required: ['id', 'queue', 'messageId', 'type', 'reason', 'attempts', 'diedAt'],
  properties: {
    id: TEXT,
    queue: TEXT,
    messageId: TEXT_OR_NULL,
    type: TEXT_OR_NULL,
    reason: TEXT,
    attempts: { type: 'integer' },
    diedAt: { type: 'string', format: 'date-time' },
  },
  additionalProperties: false,
}

const enveloped = (data: JsonSchema, meta: JsonSchema): JsonSchema => ({
  type: 'object',
  required: ['data', 'meta'],
  properties: { data, meta },
  additionalProperties: false,
})

const NO_META: JsonSchema = { type: 'object', additionalProperties: false }
const TOTAL: JsonSchema = {
  type: 'object',
  required: ['total'],
  properties: { total: { type: 'integer' } },
}
const COUNT: JsonSchema = {
  type: 'object',
  required: ['removed'],
  properties: { removed: { type: 'integer' } },
  additionalProperties: false,
}

const RECORDS: JsonSchema = { type: 'array', items: { type: 'object' } }
const PARTS = [
  'surfaces',
  'queues',
  'outbox',
  'sweeps',
  'stuck',
  'credentials',
  'backups',
  'adoptions',
]
const STATUS: JsonSchema = enveloped(
  {
    type: 'object',
    required: PARTS,
    properties: Object.fromEntries(PARTS.map((part) => [part, RECORDS])),
    additionalProperties: false,
  },
  NO_META
)

const CONNECTION: JsonSchema = {
  type: 'object',
  required: ['peer', 'port', 'isForwarded', 'isTrusted'],
  properties: {
    peer: TEXT,
    port: { type: 'integer' },
    isForwarded: { type: 'boolean' },
    isTrusted: { type: 'boolean' },
  },
  additionalProperties: false,
}

const letterAnswer = (description: string): Record<number, ResponseDeclaration> => ({
  202: { description, schema: enveloped(LETTER, NO_META) },
})

/** Routes for operators of the installation. */
export function administrationRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/admin/status', showStatus, {
      name: 'readStatus',
      summary:
        'Read the state of the installation: services, queues, outbox, sweeps, stuck analyses, expiring credentials, last backups, open adoptions',
      access: OPERATOR_ACCESS,
      responses: { 200: { description: 'The current state', schema: STATUS } },
    })
    .get('/admin/request', showRequest, {
      name: 'readRequest',
      summary: 'Read the connection of this request: its peer, and whether a proxy forwarded it',
      access: OPERATOR_ACCESS,
      responses: {
        200: {
          description:
            'Address and port of the peer, whether it forwarded the request, and whether it is a trusted proxy',
          schema: enveloped(CONNECTION, NO_META),
        },
      },
    })
    .get('/admin/bus/dead', listDead, {
      name: 'listDeadLetters',
      summary: 'List the oldest thousand dead letters of each queue',
      access: OPERATOR_ACCESS,
      responses: {
        200: {
          description: 'The dead letters and their reasons, without their content',
          schema: enveloped({ type: 'array', items: LETTER }, TOTAL),
        },
      },
    })
    .post('/admin/bus/dead/:id/redrive', redrive, {
      name: 'redriveDeadLetter',
      summary: 'Return a dead letter to its queue, where it is processed again',
      access: OPERATOR_ACCESS,
      responses: letterAnswer('The returned message'),
    })
    .delete('/admin/bus/dead/:id', drop, {
      name: 'dropDeadLetter',
      summary: 'Delete a dead letter',
      access: OPERATOR_ACCESS,
      responses: letterAnswer('The deleted message'),
    })
    .post('/admin/sweeps/:name', sweep, {
      name: 'runSweep',
      summary: 'Remove expired events, messages or objects now instead of on schedule',
      access: OPERATOR_ACCESS,
      responses: {
        202: { description: 'The number of removed items', schema: enveloped(COUNT, NO_META) },
      },
    })
}

const makeAdministration = (ctx: HttpContext) => ctx.containerResolver.make(Administration)

async function showStatus(ctx: HttpContext): Promise<void> {
  const status = await ctx.containerResolver.make(InstallationStatus)
  sendJson(ctx, { data: await status.read(originOf(ctx)), meta: {} })
}

function showRequest(ctx: HttpContext): void {
  const { headers, socket } = ctx.request.request
  const peer = socket.remoteAddress ?? ''
  const data = {
    peer,
    port: socket.remotePort ?? 0,
    isForwarded: headers['x-forwarded-for'] !== undefined,
    isTrusted: httpSettings().isTrustedProxy(peer),
  }
  sendJson(ctx, { data, meta: {} })
}

async function listDead(ctx: HttpContext): Promise<void> {
  const administration = await makeAdministration(ctx)
  const letters = await administration.listDeadLetters(originOf(ctx))
  const data = letters.map(withoutBody)
  sendJson(ctx, { data, meta: { total: data.length } })
}

async function redrive(ctx: HttpContext): Promise<void> {
  const administration = await makeAdministration(ctx)
  const letter = await administration.redrive(originOf(ctx), ctx.params.id)
  answerLetter(ctx, letter, 'an operator returned a dead letter to its queue')
}

async function drop(ctx: HttpContext): Promise<void> {
  const administration = await makeAdministration(ctx)
  const letter = await administration.drop(originOf(ctx), ctx.params.id)
  answerLetter(ctx, letter, 'an operator dropped a dead letter')
}

function answerLetter(ctx: HttpContext, letter: DeadLetter, message: string): void {
  const { id, queue } = letter
  ctx.logger.info({ id, queue, actor: ctx.actor?.id }, message)
  sendJson(ctx, { data: withoutBody(letter), meta: {} }, 202)
}

async function sweep(ctx: HttpContext): Promise<void> {
  const { name } = ctx.params
  if (!SWEEPS.has(name)) {
    throw new EntityNotFound('sweep')
  }
  const administration = await makeAdministration(ctx)
  const { removed } = await administration.runSweep(originOf(ctx), name)
  sendJson(ctx, { data: { removed }, meta: {} }, 202)
}

function withoutBody({ body, ...letter }: DeadLetter) {
  return letter
}
