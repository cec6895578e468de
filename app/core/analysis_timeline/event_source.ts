import { analysis } from '#core/analyses/analysis'
import type { EventReader, AuditEvent } from '#core/events/event_reader'
import type { TimelineEntry, TimelineSource } from './timeline_entry.js'

/** The audit events of an analysis. */
export function eventSource(events: EventReader): TimelineSource {
  return {
    async read(refId, { until, limit }) {
      const query = { refType: analysis.name, refId, ...(until && { until }), limit }
      const page = await events.read(query)
      return page.events.map(entryOf)
    },
  }
}

function entryOf({
  createdAt,
  name,
  data,
  actorType,
  actorId,
  actorName,
  reportedBy,
}: AuditEvent): TimelineEntry {
  return {
    time: createdAt,
    source: 'event',
    name,
    ...(actorType !== null && { actor: { type: actorType, id: actorId, name: actorName } }),
    ...(reportedBy !== null && { reportedBy }),
    data,
  }
}
