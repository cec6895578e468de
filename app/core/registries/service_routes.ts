import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { enforce, everybody, holding, holdingCentrally, loggedIn } from '#kernel/access'
import { answer } from '#http/answer'
import { body } from '#kernel/body'
import { bodyOf } from '#http/sent_body'
import { EntityNotFound, Unauthorized } from '#kernel/failures'
import type { Answer, SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'

import { hookBody } from './hook_body.js'
import { HookSenders, type HookSender } from './hook_sender.js'
import { COMMANDS, RegistryOperations } from './operations.js'
import { robotSecret } from './robot_secret.js'

const REGISTRY = 'registry'
const commanding = holdingCentrally('registry_manage')
const telling = holding('registry_manage')

const command = body({
  command: vine.enum(COMMANDS),
  id: vine.string().uuid(),
  secret: robotSecret().nullable().optional(),
  adopt: vine.string().maxLength(64).nullable().optional(),
})

const TAKEN: Answer = { description: 'It is done soon after', schema: { type: 'null' } }

/**
 * What is asked of the services of the platform, and what they are told. There is one, which looks after registries.
 */
export function serviceRoutes(routes: SurfaceRoutes): void {
  routes
    .post('/services/:id/command', order, {
      name: 'commandService',
      summary: 'Have something done in a registry',
      access: commanding,
      entry: loggedIn,
      body: command,
      answers: { 202: TAKEN },
    })
    .post('/services/:id/hook', receive, {
      name: 'hookService',
      summary: 'What a registry tells of something that happened in it',
      access: telling,
      entry: everybody,
      answers: { 202: TAKEN },
    })
}

async function order(ctx: HttpContext): Promise<void> {
  const wanted = await bodyOf(ctx, command)
  const { actor } = originOf(ctx)
  enforce(commanding, actor)
  requireRegistry(ctx)
  const operations = await ctx.containerResolver.make(RegistryOperations)
  await operations.order(wanted)
  answer(ctx, null, 202)
}

/** A registry cannot mend what it sends, so whatever it sends is taken; what makes no sense is only written down. */
async function receive(ctx: HttpContext): Promise<void> {
  const sender = await requireSender(ctx)
  requireRegistry(ctx)
  try {
    const told = await hookBody.validate(ctx.request.body())
    const operations = await ctx.containerResolver.make(RegistryOperations)
    await operations.receive(told, sender)
  } catch (error) {
    if (!isInvalid(error)) {
      throw error
    }
    ctx.logger.warn('a registry sent an event that is not understood')
  }
  answer(ctx, null, 202)
}

async function requireSender(ctx: HttpContext): Promise<HookSender> {
  if (ctx.actor) {
    enforce(telling, ctx.actor)
    return { registryId: null }
  }
  const senders = await ctx.containerResolver.make(HookSenders)
  const sender = await senders.find(ctx.request.header('authorization'), ctx.request.ip())
  if (!sender) {
    throw new Unauthorized('A registry sends the account it was given, others an access token')
  }
  return sender
}

function requireRegistry({ params }: HttpContext): void {
  if (params.id !== REGISTRY) {
    throw new EntityNotFound('service')
  }
}

const isInvalid = (error: unknown) =>
  (error as { code?: unknown } | null)?.code === 'E_VALIDATION_ERROR'
