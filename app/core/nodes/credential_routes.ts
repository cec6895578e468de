import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { corePool } from '#core/database'
import { loggedIn } from '#kernel/access'
import { sendJson } from '#http/send_json'
import { body } from '#kernel/body'
import { validatedBody } from '#http/request_body'
import type { ResponseDeclaration, SurfaceRoutes } from '#http/surface'
import { clientName } from '#auth/client_name'
import { chosenSecret } from '#auth/chosen_secret'
import { originOf } from '#kernel/request_origin'

import { NodeCredentials, type NewCredentials } from './node_credentials.js'
import { readRegistryCredentials } from './registry_credentials.js'

const PATH = '/nodes/:id/client/credentials'

const text = (least: number, most: number) =>
  vine.string().minLength(least).maxLength(most).nullable().optional()

const newCredentials = body({
  secret: chosenSecret(256).nullable().optional(),
  name: clientName.clone().nullable().optional(),
  displayName: text(1, 256),
})

const CREDENTIALS: ResponseDeclaration = {
  description: 'The client credentials of the node',
  schema: {
    type: 'object',
    required: ['id', 'name', 'displayName', 'secret'],
    properties: {
      id: { type: 'string' },
      name: { type: 'string' },
      displayName: { type: 'string' },
      secret: { type: ['string', 'null'] },
    },
    additionalProperties: false,
  },
}

const ACCOUNT: ResponseDeclaration = {
  description: 'The account of the node in its registry',
  schema: {
    type: 'object',
    required: ['host', 'externalName', 'accountName', 'accountSecret'],
    properties: {
      host: { type: 'string' },
      externalName: { type: 'string' },
      accountName: { type: ['string', 'null'] },
      accountSecret: { type: ['string', 'null'] },
    },
    additionalProperties: false,
  },
}

/** The credentials of a node, here and in its registry. The service authorizes the caller, since access depends on the node. */
export function credentialRoutes(routes: SurfaceRoutes): void {
  routes
    .get(PATH, read, {
      name: 'readNodeClientCredentials',
      summary: 'Read the client credentials of a node',
      access: loggedIn,
      responses: { 200: CREDENTIALS },
    })
    .post(PATH, rotate, {
      name: 'rotateNodeClientCredentials',
      summary:
        'Replace the client credentials of a node; without `secret`, a random one is generated',
      access: loggedIn,
      body: newCredentials,
      responses: { 200: CREDENTIALS },
    })
    .get('/nodes/:id/registry/credentials', readAccount, {
      name: 'readNodeRegistryCredentials',
      summary: 'Read the account of a node in its registry',
      access: loggedIn,
      responses: { 200: ACCOUNT },
    })
}

const makeCredentials = (ctx: HttpContext) => ctx.containerResolver.make(NodeCredentials)

async function read(ctx: HttpContext): Promise<void> {
  const credentials = await makeCredentials(ctx)
  sendJson(ctx, await credentials.read(originOf(ctx), ctx.params.id))
}

async function rotate(ctx: HttpContext): Promise<void> {
  const changes = (await validatedBody(ctx, newCredentials)) as NewCredentials
  const credentials = await makeCredentials(ctx)
  sendJson(ctx, await credentials.rotate(originOf(ctx), ctx.params.id, changes))
}

async function readAccount(ctx: HttpContext): Promise<void> {
  sendJson(ctx, await readRegistryCredentials(corePool(), originOf(ctx), ctx.params.id))
}
