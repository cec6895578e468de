import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { analysis } from '#core/analyses/analysis'
import { warningsMeta, WARNINGS_META } from '#core/command_warnings'
import { loggedIn } from '#kernel/access'
import { sendJson } from '#http/send_json'
import { body } from '#kernel/body'
import { validatedBody } from '#http/request_body'
import type { SurfaceRoutes } from '#http/surface'
import type { JsonSchema } from '#kernel/json_schema'
import { originOf } from '#kernel/request_origin'
import { writtenAnswer } from '#records/record_documents'
import { AnalysisCommands } from './analysis_commands.js'
import { AnalysisExplanation } from './analysis_explanation.js'
import { COMMAND_NAMES } from './commands.js'
import { PHASES } from './phases.js'

const command = body({ command: vine.enum(COMMAND_NAMES) })

/** Commands of analyses, and the explanation of their phase. */
export function analysisCommandRoutes(routes: SurfaceRoutes): void {
  routes.get('/analyses/:id/explain', explain, {
    name: 'explainAnalysis',
    summary: 'Explain what an analysis waits for, and who can change it',
    access: analysis.access.read,
    responses: { 200: { description: 'The conditions of its phase', schema: EXPLANATION } },
  })
  routes.post('/analyses/:id/command', run, {
    name: 'commandAnalysis',
    summary: 'Run a command on an analysis: lock or unlock, build, distribute, or check',
    access: analysis.access.update!,
    entry: loggedIn,
    body: command,
    responses: { 202: writtenAnswer(analysis, 'The analysis after the command', WARNINGS_META) },
  })
}

const EXPLANATION: JsonSchema = {
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: {
      type: 'object',
      required: ['phase', 'ready', 'conditions'],
      properties: {
        phase: { type: 'string', enum: Object.keys(PHASES) },
        ready: { type: 'boolean' },
        conditions: { type: 'array', items: { type: 'object' } },
      },
      additionalProperties: false,
    },
    meta: { type: 'object', additionalProperties: false },
  },
  additionalProperties: false,
}

async function explain(ctx: HttpContext): Promise<void> {
  const explanation = await ctx.containerResolver.make(AnalysisExplanation)
  const data = await explanation.of(originOf(ctx), ctx.params.id)
  sendJson(ctx, { data, meta: {} })
}

async function run(ctx: HttpContext): Promise<void> {
  const { command: name } = await validatedBody(ctx, command)
  const commands = await ctx.containerResolver.make(AnalysisCommands)
  const { data, warnings } = await commands.run(originOf(ctx), ctx.params.id, name)
  const meta = JSON.stringify(warningsMeta(warnings))
  sendJson(ctx, `{"data":${data},"meta":${meta}}`, 202)
}
