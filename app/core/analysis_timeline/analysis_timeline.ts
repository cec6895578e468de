import { inject } from '@adonisjs/core'

import { TimelineSources } from './timeline_sources.js'
import { analysis as kind } from '#core/analyses/analysis'
import { readAnalysis } from '#core/analyses/read_analysis'
import { AnalysisLogService } from '#core/analysis_logs/analysis_log_service'
import { enforce, requires, permits } from '#kernel/access'
import type { Actor } from '#kernel/actor'
import type { Origin } from '#kernel/origin'
import { isRealmWritable } from '#kernel/realm'
import { readCursor, writeCursor, type TimelineCursor } from './timeline_cursor.js'
import type { TimelineEntry, TimelineSource } from './timeline_entry.js'

export const ENTRIES_PER_PAGE = 50

/** Actors and data of audit events require permission to read events in the realm of the analysis. */
const AUDIT_ACCESS = requires('event_read')

export interface TimelinePage {
  readonly entries: readonly TimelineEntry[]
  /** The cursor of the next page; null on the last page. */
  readonly next: string | null
}

interface SourcedEntry {
  readonly entry: TimelineEntry
  readonly source: number
}

/** Merges the events, states, approvals and logs of an analysis into one list. */
@inject()
export class AnalysisTimeline {
  readonly #sources: TimelineSources
  readonly #logs: AnalysisLogService

  constructor(sources: TimelineSources, logs: AnalysisLogService) {
    this.#sources = sources
    this.#logs = logs
  }

  /** A page of entries, newest first. */
  async page(origin: Origin, id: string, limit: number, cursor?: string): Promise<TimelinePage> {
    enforce(kind.access.read, origin.actor)
    const { id: analysisId, realmId } = await readAnalysis(origin, id)
    const { open, logs } = this.#sources
    const start = cursor === undefined ? undefined : readCursor(cursor, open.length + logs.length)
    const mayReadLogs = await this.#logs.mayRead(origin.actor, analysisId)
    const sources = mayReadLogs ? [...open, ...logs] : open
    const read = await Promise.all(
      sources.map((source, index) => readFrom(source, analysisId, limit + 1, start, index))
    )
    const merged = read
      .flatMap((entries, source) => entries.map((entry): SourcedEntry => ({ entry, source })))
      .toSorted((one, other) =>
        one.entry.time < other.entry.time ? 1 : -Number(one.entry.time > other.entry.time)
      )
    const page = merged.slice(0, limit)
    const isLast = merged.length <= limit
    const next = isLast ? null : writeCursor(nextCursor(page, start, open.length + logs.length))
    const shown = mayReadAudit(origin.actor, realmId) ? showFull : showPartial
    return { entries: page.map(({ entry }) => shown(entry)), next }
  }
}

function mayReadAudit(actor: Actor, realmId: string): boolean {
  return permits(AUDIT_ACCESS, actor) && isRealmWritable(actor, realmId)
}

const showFull = (entry: TimelineEntry) => entry

function showPartial(entry: TimelineEntry): TimelineEntry {
  const { time, source, name } = entry
  return source === 'event' ? { time, source, name } : entry
}

/** Skips entries with the time of the cursor that were already returned. */
async function readFrom(
  source: TimelineSource,
  analysisId: string,
  limit: number,
  start: TimelineCursor | undefined,
  index: number
): Promise<readonly TimelineEntry[]> {
  const returned = start?.returned[index] ?? 0
  const until = start && momentAfter(start.time)
  const entries = await source.read(analysisId, { until, limit: limit + returned })
  const isReturned = (entry: TimelineEntry, position: number) =>
    entry.time === start?.time && position < returned
  return entries.filter((entry, position) => !isReturned(entry, position)).slice(0, limit)
}

/** Times have a resolution of one millisecond. */
const momentAfter = (time: string) => new Date(Date.parse(time) + 1).toISOString()

function nextCursor(
  page: readonly SourcedEntry[],
  start: TimelineCursor | undefined,
  sources: number
): TimelineCursor {
  const { time } = page.at(-1)!.entry
  const before = start?.time === time ? start.returned : []
  const returned = Array.from({ length: sources }, (_, index) => {
    const here = page.filter(({ entry, source }) => source === index && entry.time === time)
    return (before[index] ?? 0) + here.length
  })
  return { time, returned }
}
