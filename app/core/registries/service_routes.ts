import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { enforce, everybody, holding, loggedIn } from '#http/access'
import { answer } from '#http/answer'
import { body } from '#http/body'
import { bodyOf } from '#http/sent_body'
import { shape } from '#http/shape'
import { EntityNotFound, Unauthorized } from '#http/failures'
import type { Answer, SurfaceRoutes } from '#http/surface'
import type { Values } from '#records/kind'
import { originOf } from '#records/origin'

import { hookBody } from './hook_body.js'
import { isFromRegistry } from './hook_client.js'
import { COMMANDS, RegistryOperations, type Command } from './operations.js'

const REGISTRY = 'registry'
const manage = holding('registry_manage')

const STRONG = {
  pattern: /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9]).{8,}$/,
  says: 'A secret has at least eight characters, one of them a digit, one in upper and one in lower case',
}

const command = body({
  command: vine.enum(COMMANDS),
  id: vine.string().uuid(),
  secret: vine.string().maxLength(256).use(shape(STRONG)).nullable().optional(),
})

const TAKEN: Answer = { description: 'It is done soon after', schema: { type: 'null' } }

/**
 * What is asked of the services of the platform, and what they are told. There is one: whoever looks after registries.
 */
export function serviceRoutes(routes: SurfaceRoutes): void {
  routes
    .post('/services/:id/command', order, {
      name: 'commandService',
      summary: 'Have something done in a registry',
      access: manage,
      entry: loggedIn,
      body: command,
      answers: { 202: TAKEN },
    })
    .post('/services/:id/hook', hear, {
      name: 'hookService',
      summary: 'What a registry tells of something that happened in it',
      access: manage,
      entry: everybody,
      answers: { 202: TAKEN },
    })
}

async function order(ctx: HttpContext): Promise<void> {
  const wanted = (await bodyOf(ctx, command)) as Command
  const { actor } = originOf(ctx)
  enforce(manage, actor)
  requireRegistry(ctx)
  await new RegistryOperations().order(wanted)
  answer(ctx, null, 202)
}

/** A registry cannot mend what it sends, so whatever it sends is taken; what makes no sense is only written down. */
async function hear(ctx: HttpContext): Promise<void> {
  await requireSender(ctx)
  requireRegistry(ctx)
  try {
    const told = (await hookBody.validate(ctx.request.body())) as Values
    await new RegistryOperations().hear(told)
  } catch (error) {
    if (!isInvalid(error)) {
      throw error
    }
    ctx.logger.warn('a registry told something that is not understood')
  }
  answer(ctx, null, 202)
}

async function requireSender(ctx: HttpContext): Promise<void> {
  const header = ctx.request.header('authorization')
  if (ctx.actor) {
    enforce(manage, ctx.actor)
  } else if (!(await isFromRegistry(header))) {
    throw new Unauthorized('A registry sends the account it was given, others an access token')
  }
}

function requireRegistry({ params }: HttpContext): void {
  if (params.id !== REGISTRY) {
    throw new EntityNotFound('service')
  }
}

const isInvalid = (error: unknown) =>
  (error as { code?: unknown } | null)?.code === 'E_VALIDATION_ERROR'
