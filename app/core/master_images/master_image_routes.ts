import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { Bus } from '#bus/bus'
import { COMMAND_QUEUES, type CommandQueue } from '#bus/names'
import { warningsMeta, WARNINGS_META, findWarnings } from '#core/command_warnings'
import { masterImage } from './master_image.js'
import { MasterImageService } from './master_image_service.js'
import { loggedIn } from '#kernel/access'
import { sendJson } from '#http/send_json'
import { body } from '#kernel/body'
import { BadRequest } from '#kernel/failures'
import { issue } from '#kernel/issues'
import { validatedBody } from '#http/request_body'
import type { SurfaceRoutes } from '#http/surface'
import { originOf } from '#kernel/request_origin'

const command = body({
  command: vine.enum(['sync', 'build']),
  id: vine.string().minLength(1).nullable().optional(),
})

/** The commands of images, in addition to the routes of all records. */
export function masterImageRoutes(routes: SurfaceRoutes): void {
  routes.post('/master-images/command', run, {
    name: 'commandMasterImage',
    summary: 'Build a master image, or synchronize all of them with their repository',
    access: masterImage.access.remove!,
    entry: loggedIn,
    body: command,
    responses: {
      202: { description: 'The master image; null for a synchronization', schema: ANSWER },
    },
  })
}

const ANSWER = {
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: { type: ['object', 'null'] },
    meta: WARNINGS_META,
  },
  additionalProperties: false,
}

async function run(ctx: HttpContext): Promise<void> {
  const service = await ctx.containerResolver.make(MasterImageService)
  const { command: name, id } = await validatedBody(ctx, command)
  if (name === 'sync') {
    await service.synchronize(originOf(ctx))
    const meta = await metaFor(ctx, COMMAND_QUEUES.masterImageSynchronizer)
    return sendJson(ctx, { data: null, meta }, 202)
  }
  const data = await service.build(originOf(ctx), id ?? missingId())
  const meta = await metaFor(ctx, COMMAND_QUEUES.masterImageBuilder)
  sendJson(ctx, `{"data":${data},"meta":${JSON.stringify(meta)}}`, 202)
}

async function metaFor(ctx: HttpContext, queue: CommandQueue) {
  return warningsMeta(await findWarnings(await ctx.containerResolver.make(Bus), queue))
}

function missingId(): never {
  const message = 'The command build requires the id of an image'
  throw new BadRequest(message, { issues: [issue('required', ['id'], message)] })
}
