import type { HttpContext } from '@adonisjs/core/http'

import { sendJson } from '#http/send_json'
import type { SurfaceRoutes } from '#http/surface'
import { dataResponse, exactObject, type JsonSchema } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { OPERATOR_ACCESS } from '#auth/operator_access'
import { Examinations } from './examinations.js'

const TEXT: JsonSchema = { type: 'string' }

const EXAMINATION = dataResponse(
  exactObject({
    examinedAt: { type: ['string', 'null'], format: 'date-time' },
    isExamining: { type: 'boolean' },
    severity: { type: ['string', 'null'] },
    checks: { type: 'array', items: { type: 'object' } },
    findings: {
      type: 'array',
      items: exactObject({ code: TEXT, severity: TEXT, message: TEXT, remedy: TEXT }),
    },
  })
)

/** Routes for what the doctor finds. */
export function examinationRoutes(routes: SurfaceRoutes): void {
  routes
    .get('/admin/examination', show, {
      name: 'readExamination',
      summary: 'Read the last report of the doctor; an outdated one is renewed in the background',
      access: OPERATOR_ACCESS,
      responses: { 200: { description: 'The last report, with its time', schema: EXAMINATION } },
    })
    .post('/admin/examination', start, {
      name: 'startExamination',
      summary: 'Start an examination by the doctor, which runs in the background',
      access: OPERATOR_ACCESS,
      responses: {
        202: {
          description: 'The last report; read it again until `isExamining` is false',
          schema: EXAMINATION,
        },
      },
    })
}

async function show(ctx: HttpContext): Promise<void> {
  const examinations = await ctx.containerResolver.make(Examinations)
  sendJson(ctx, { data: examinations.read(originOf(ctx)), meta: {} })
}

async function start(ctx: HttpContext): Promise<void> {
  const examinations = await ctx.containerResolver.make(Examinations)
  sendJson(ctx, { data: examinations.start(originOf(ctx)), meta: {} }, 202)
}
