import vine from '@vinejs/vine'

import { defineConsumer, type Consumer, type Handler } from '#bus/consumer'
import type { Message } from '#bus/message'
import { PROCESS_STATUSES } from '#core/analyses/process_status'
import { serviceHandler } from '#core/service_handler'
import { readPercent, workerReportRules } from '#core/worker_report'
import { body } from '#kernel/body'
import { id } from '#records/rules'
import { PROCESSES, REPORTS, type ProcessName, type ReportName } from './processes.js'
import { ProcessReports } from './process_reports.js'

const NAMES = Object.keys(REPORTS) as ReportName[]
const MAX_PROBLEM_LENGTH = 1_000

const workerReportBody = body({
  ...workerReportRules,
  status: vine.enum(PROCESS_STATUSES).nullable().optional(),
  hash: vine.string().maxLength(135).nullable().optional(),
  os: vine.string().maxLength(64).nullable().optional(),
  size: vine.number().withoutDecimals().min(0).nullable().optional(),
  nodes: vine
    .array(
      vine.object({
        nodeId: id(),
        artifactTag: vine.string().maxLength(32).nullable().optional(),
        artifactDigest: vine.string().maxLength(512).nullable().optional(),
      })
    )
    .nullable()
    .optional(),
})

export const buildConsumer = consumerOf('build')
export const distributionConsumer = consumerOf('distribution')

/** Reports about one analysis are handled in order. */
function consumerOf(process: ProcessName): Consumer {
  const { events } = PROCESSES[process]
  return defineConsumer({
    queue: `core.${events}`,
    events: [events],
    surface: 'core',
    prefetch: 50,
    recordOf: ({ data }) => String(data.id),
    handlers: Object.fromEntries(NAMES.map((name) => [name, reportHandler(process, name)])),
  })
}

function reportHandler(process: ProcessName, name: ReportName): Handler {
  return serviceHandler(
    workerReportBody,
    ProcessReports,
    (reports, { transaction, origin, content, message }) =>
      reports.apply(transaction, origin, {
        process,
        report: name,
        run: readRun(message),
        details: {
          id: content.id,
          percent: readPercent(content),
          status: content.status ?? null,
          hash: content.hash ?? null,
          os: content.os ?? null,
          size: content.size ?? null,
          problem: readProblem(message),
          artifacts: (content.nodes ?? []).map(({ nodeId, artifactTag, artifactDigest }) => ({
            nodeId,
            artifactTag: artifactTag ?? null,
            artifactDigest: artifactDigest ?? null,
          })),
        },
      })
  )
}

function readRun({ metadata: { run } }: Message): string | undefined {
  return typeof run === 'string' ? run : undefined
}

/** Workers report errors as text, or as an object with `message` or `code`, and often not at all. */
function readProblem({ data: { error } }: Message): string | null {
  const { message, code } = (error ?? {}) as Record<string, unknown>
  const text = [error, message, code].find((one) => typeof one === 'string' && one !== '')
  return typeof text === 'string' ? text.slice(0, MAX_PROBLEM_LENGTH) : null
}
