import type { HttpContext } from '@adonisjs/core/http'

import type { DeadLetter } from '#bus/dead_letters'
import { sendJson } from '#http/send_json'
import type { ResponseDeclaration, SurfaceRoutes } from '#http/surface'
import { trustedProxies } from '#http/trusted_proxies'
import { env } from '#start/env'
import type { JsonSchema } from '#kernel/json_schema'
import { EntityNotFound } from '#kernel/failures'
import { originOf } from '#kernel/request_origin'
import { Administration, OPERATOR_ACCESS } from './administration.js'
import { InstallationStatus } from './installation_status.js'

/** The sweeps that are asked for by name; all others come often enough by themselves. */
const SWEEPS: ReadonlySet<string> = new Set(['events', 'messages', 'objects'])

const TEXT: JsonSchema = { type: 'string' }
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }

/** What a message says stays where it is: it may be a secret. */
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
const PARTS = ['surfaces', 'queues', 'outbox', 'sweeps', 'stuck', 'credentials']
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

/** What operators ask of the installation as a whole. */
export function administrationRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/admin/status', showStatus, {
      name: 'readStatus',
      summary:
        'How the installation is: services, queues, outbox, sweeps, what is stuck, what ends',
      access: OPERATOR_ACCESS,
      responses: { 200: { description: 'All of it, as it is now', schema: STATUS } },
    })
    .get('/admin/request', showRequest, {
      name: 'readRequest',
      summary: 'How this very request arrived: from whom, and by way of a proxy or not',
      access: OPERATOR_ACCESS,
      responses: {
        200: {
          description: 'Who connected, whether for somebody else, and whether that is believed',
          schema: enveloped(CONNECTION, NO_META),
        },
      },
    })
    .get('/admin/bus/dead', listDead, {
      name: 'listDeadLetters',
      summary: 'The messages that could not be handled: the oldest thousand of each queue',
      access: OPERATOR_ACCESS,
      responses: {
        200: {
          description: 'Whose they are, and why, without what they say',
          schema: enveloped({ type: 'array', items: LETTER }, TOTAL),
        },
      },
    })
    .post('/admin/bus/dead/:id/redrive', redrive, {
      name: 'redriveDeadLetter',
      summary: 'Give a message back to the queue it died in',
      access: OPERATOR_ACCESS,
      responses: letterAnswer('The message that was given back'),
    })
    .delete('/admin/bus/dead/:id', drop, {
      name: 'dropDeadLetter',
      summary: 'Forget a message that could not be handled',
      access: OPERATOR_ACCESS,
      responses: letterAnswer('The message that is gone'),
    })
    .post('/admin/sweeps/:name', sweep, {
      name: 'runSweep',
      summary: 'Have removed now what has had its time: events, messages or objects',
      access: OPERATOR_ACCESS,
      responses: {
        202: { description: 'How many went', schema: enveloped(COUNT, NO_META) },
      },
    })
}

const makeAdministration = (ctx: HttpContext) => ctx.containerResolver.make(Administration)

async function showStatus(ctx: HttpContext): Promise<void> {
  const status = await ctx.containerResolver.make(InstallationStatus)
  sendJson(ctx, { data: await status.read(originOf(ctx)), meta: {} })
}

const isTrustedProxy = trustedProxies(env.TRUSTED_PROXIES)

function showRequest(ctx: HttpContext): void {
  const { headers, socket } = ctx.request.request
  const peer = socket.remoteAddress ?? ''
  const data = {
    peer,
    port: socket.remotePort ?? 0,
    isForwarded: headers['x-forwarded-for'] !== undefined,
    isTrusted: isTrustedProxy(peer),
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
  answerLetter(ctx, letter, 'an operator gave a dead letter back')
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
