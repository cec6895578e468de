import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { AnalysisCredentials } from './analysis_credentials.js'
import { AnalysisPermissions, CHANGE_ACCESS } from './analysis_permissions.js'
import { loggedIn } from '#kernel/access'
import { sendJson } from '#http/send_json'
import { body } from '#kernel/body'
import { validatedBody } from '#http/request_body'
import type { SurfaceRoutes } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { chosenSecret } from '#auth/chosen_secret'
import { originOf } from '#kernel/request_origin'

const CREDENTIALS = '/analyses/:id/client/credentials'
const PERMISSIONS = '/analyses/:id/client/permissions'

const newSecret = body({
  secret: chosenSecret(256).nullable().optional(),
})

const newPermission = body({ permissionId: vine.string().minLength(1).maxLength(128) })

/** The client of an analysis: its credentials and its permissions. */
export function analysisClientRoutes(routes: SurfaceRoutes): void {
  routes
    .get(CREDENTIALS, readCredentials, {
      name: 'readAnalysisCredentials',
      summary: 'Read the client credentials of an analysis',
      access: loggedIn,
      responses: {
        200: { description: 'The credentials, with the secret', schema: CREDENTIALS_SCHEMA },
      },
    })
    .post(CREDENTIALS, rotateCredentials, {
      name: 'rotateAnalysisCredentials',
      summary:
        'Replace the client secret of an analysis; without `secret`, a random one is generated',
      access: loggedIn,
      body: newSecret,
      responses: {
        200: { description: 'The credentials, with the new secret', schema: CREDENTIALS_SCHEMA },
      },
    })
    .get(PERMISSIONS, listPermissions, {
      name: 'listAnalysisPermissions',
      summary: 'List the permissions of an analysis',
      access: loggedIn,
      responses: {
        200: {
          description: 'All permissions of the client of the analysis',
          schema: PERMISSIONS_SCHEMA,
        },
      },
    })
    .post(PERMISSIONS, grantPermission, {
      name: 'grantAnalysisPermission',
      summary: 'Grant a permission to an analysis',
      access: CHANGE_ACCESS,
      entry: loggedIn,
      body: newPermission,
      responses: { 201: { description: 'The granted permission', schema: GRANTED_SCHEMA } },
    })
    .delete(`${PERMISSIONS}/:permissionId`, revokePermission, {
      name: 'revokeAnalysisPermission',
      summary: 'Revoke a permission of an analysis',
      access: CHANGE_ACCESS,
      responses: { 202: { description: 'The revoked permission', schema: REVOKED_SCHEMA } },
    })
}

const ID: JsonSchema = { type: 'string', format: 'uuid' }
const TEXT: JsonSchema = { type: 'string' }
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] }
const NO_META: JsonSchema = { type: 'object', additionalProperties: false }

const CREDENTIALS_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['id', 'name', 'displayName', 'secret'],
  properties: { id: ID, name: TEXT, displayName: TEXT, secret: TEXT_OR_NULL },
  additionalProperties: false,
}

const GRANT: JsonSchema = {
  type: 'object',
  required: ['id', 'clientId', 'permissionId', 'permission'],
  properties: { id: ID, clientId: ID, permissionId: ID, permission: { type: 'object' } },
}

const PERMISSIONS_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: { type: 'array', items: GRANT },
    meta: { type: 'object', properties: { total: { type: 'integer' } } },
  },
  additionalProperties: false,
}

const REVOKED_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['data', 'meta'],
  properties: { data: GRANT, meta: NO_META },
  additionalProperties: false,
}

/** Contains the record twice: at the top level, as older clients read it, and under `data`. */
const GRANTED_SCHEMA: JsonSchema = {
  ...GRANT,
  required: ['id', 'clientId', 'permissionId', 'permission', 'data', 'meta'],
  properties: { ...(GRANT.properties as JsonSchema), data: GRANT, meta: NO_META },
}

const credentialsFor = (ctx: HttpContext) => ctx.containerResolver.make(AnalysisCredentials)
const permissionsFor = (ctx: HttpContext) => ctx.containerResolver.make(AnalysisPermissions)

async function readCredentials(ctx: HttpContext): Promise<void> {
  const credentials = await credentialsFor(ctx)
  sendJson(ctx, await credentials.read(originOf(ctx), ctx.params.id))
}

async function rotateCredentials(ctx: HttpContext): Promise<void> {
  const { secret } = await validatedBody(ctx, newSecret)
  const credentials = await credentialsFor(ctx)
  sendJson(ctx, await credentials.rotate(originOf(ctx), ctx.params.id, secret ?? undefined))
}

async function listPermissions(ctx: HttpContext): Promise<void> {
  const permissions = await permissionsFor(ctx)
  const data = await permissions.list(originOf(ctx), ctx.params.id)
  sendJson(ctx, { data, meta: { total: data.length } })
}

async function grantPermission(ctx: HttpContext): Promise<void> {
  const { permissionId } = await validatedBody(ctx, newPermission)
  const permissions = await permissionsFor(ctx)
  const granted = await permissions.grant(originOf(ctx), ctx.params.id, permissionId)
  sendJson(ctx, { ...granted, data: granted, meta: {} }, 201)
}

async function revokePermission(ctx: HttpContext): Promise<void> {
  const { id, permissionId } = ctx.params
  const permissions = await permissionsFor(ctx)
  const revoked = await permissions.revoke(originOf(ctx), id, permissionId)
  sendJson(ctx, { data: revoked, meta: {} }, 202)
}
