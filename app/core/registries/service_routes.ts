import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { enforce, anyone, requiresInMasterRealm, loggedIn } from '#kernel/access'
import { sendJson } from '#http/send_json'
import { body } from '#kernel/body'
import { validatedBody } from '#http/request_body'
import { EntityNotFound, Unauthorized } from '#kernel/failures'
import type { ResponseDeclaration, SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'

import { webhookBody } from './webhook_body.js'
import { WebhookSenders, type WebhookSender } from './webhook_senders.js'
import { REGISTRY_OPERATIONS, RegistryOperations } from './registry_operations.js'
import { robotSecret } from './robot_secret.js'

const REGISTRY = 'registry'
const commandAccess = requiresInMasterRealm('registry_manage')
const webhookAccess = commandAccess

const command = body({
  command: vine.enum(REGISTRY_OPERATIONS),
  id: vine.string().uuid(),
  secret: robotSecret().nullable().optional(),
  adopt: vine.string().maxLength(64).nullable().optional(),
})

const ACCEPTED: ResponseDeclaration = {
  description: 'Accepted: the operation runs in the background',
  schema: { type: 'null' },
}

/** Commands and webhooks of the services of the platform. The only service is `registry`. */
export function serviceRoutes(routes: SurfaceRoutes): void {
  routes
    .post('/services/:id/command', runCommand, {
      name: 'commandService',
      summary: 'Run a command in a registry: set it up, link projects, or replace secrets',
      access: commandAccess,
      entry: loggedIn,
      body: command,
      responses: { 202: ACCEPTED },
    })
    .post('/services/:id/hook', receiveWebhook, {
      name: 'hookService',
      summary: 'Receive a webhook event of a registry',
      access: webhookAccess,
      entry: anyone,
      responses: { 202: ACCEPTED },
    })
}

async function runCommand(ctx: HttpContext): Promise<void> {
  const operation = await validatedBody(ctx, command)
  const { actor } = originOf(ctx)
  enforce(commandAccess, actor)
  requireRegistry(ctx)
  const operations = await ctx.containerResolver.make(RegistryOperations)
  await operations.execute(operation)
  sendJson(ctx, null, 202)
}

/** Accepts any body, since a registry cannot correct it. An invalid event is only logged. */
async function receiveWebhook(ctx: HttpContext): Promise<void> {
  const sender = await requireSender(ctx)
  requireRegistry(ctx)
  try {
    const event = await webhookBody.validate(ctx.request.body())
    const operations = await ctx.containerResolver.make(RegistryOperations)
    await operations.receive(event, sender)
  } catch (error) {
    if (!isInvalid(error)) {
      throw error
    }
    ctx.logger.warn('a registry sent an invalid event')
  }
  sendJson(ctx, null, 202)
}

async function requireSender(ctx: HttpContext): Promise<WebhookSender> {
  if (ctx.actor) {
    enforce(webhookAccess, ctx.actor)
    return { registryId: null }
  }
  const senders = await ctx.containerResolver.make(WebhookSenders)
  const sender = await senders.find(ctx.request.header('authorization'), ctx.request.ip())
  if (!sender) {
    throw new Unauthorized(
      'The credentials are not those of a registry: send those of its webhook, or an access token'
    )
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
