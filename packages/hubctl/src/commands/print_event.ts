import type { RecordNames } from '#hubctl/kinds/record_names'
import { jsonLine } from '#hubctl/output/json'
import { printable } from '#hubctl/output/printable'
import type { Output } from '#hubctl/output/output'
import type { Fields } from '#hubctl/platform/pages'
import { reporterNote, type Reporter } from './reporter_note.js'

export interface AuditEvent extends Fields {
  readonly createdAt: string
  readonly name: string
  readonly refType: string
  readonly refId: string | null
  readonly actorName: string | null
  readonly actorType: string | null
  readonly reportedBy?: Reporter | null
}

/** Prints an event as a line: when, what happened to what, who did it, and who reported it if not the hub. */
export async function printEvent(
  output: Output,
  names: RecordNames,
  event: AuditEvent
): Promise<void> {
  if (!output.isTable) {
    return output.line(jsonLine(event))
  }
  const { createdAt, name, refType, refId, actorName, actorType, reportedBy } = event
  const record = refId === null ? undefined : await names.of(refType, refId)
  const by = actorName ?? actorType
  const words = [createdAt, name, [refType, record].filter(Boolean).join('/')]
  const actor = by === null ? [] : [`by ${by}`]
  const note = reporterNote(reportedBy)
  const reporter = note === undefined ? [] : [note]
  output.line(printable([...words, ...actor, ...reporter].join(' ')))
}
