import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { isKind, requireThat } from '#auth/verification/checks'
import { sendJson } from '#http/send_json'
import { validatedBody } from '#http/request_body'
import type { SurfaceRoutes } from '#http/surface'
import { requiresInMasterRealm } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import { body } from '#kernel/body'
import { dataResponse, exactObject } from '#kernel/json_schema'
import type { Origin } from '#kernel/origin'
import { actorOf, originOf } from '#kernel/request_origin'
import { id } from '#records/rules'
import { removeCodeRecords } from './local_code_records.js'

const MAX_NAME_LENGTH = 256

const removal = body({
  file: id().optional(),
  bucket: id().optional(),
  actor: vine.object({
    kind: vine.enum(['user', 'client', 'robot']),
    id: vine.string().minLength(1).maxLength(MAX_NAME_LENGTH),
    name: vine.string().maxLength(MAX_NAME_LENGTH).nullable(),
    realmId: id().nullable(),
    realmName: vine.string().maxLength(MAX_NAME_LENGTH).nullable(),
  }),
})

/** The route by which storage in another process removes the records of locked code before it deletes the code. */
export function codeRemovalRoutes(routes: SurfaceRoutes): void {
  routes.post('/code-removals', remove, {
    name: 'removeCodeRecords',
    summary: 'For the storage service: remove the records of locked code that its caller deletes',
    // Events name the caller of storage, as with events that services report.
    access: requiresInMasterRealm('bucket_update', 'bucket_delete', 'event_create'),
    body: removal,
    responses: {
      202: { description: 'The records are removed', schema: dataResponse(exactObject({})) },
    },
  })
}

async function remove(ctx: HttpContext): Promise<void> {
  requireThat(actorOf(ctx), isKind('client', 'robot'))
  const { file, bucket, actor } = await validatedBody(ctx, removal)
  const origin = inTheNameOf(originOf(ctx), actor)
  if (file !== undefined) {
    await removeCodeRecords(origin, { file })
  }
  if (bucket !== undefined) {
    await removeCodeRecords(origin, { bucket })
  }
  sendJson(ctx, { data: {}, meta: {} }, 202)
}

/** The caller of storage, whom storage has checked. Nothing here depends on its permissions. */
function inTheNameOf(
  origin: Origin,
  named: Pick<Actor, 'kind' | 'id' | 'name' | 'realmId' | 'realmName'>
): Origin {
  const { expiresAt } = origin.actor
  return { ...origin, actor: { ...named, clientId: null, permissions: new Set(), expiresAt } }
}
