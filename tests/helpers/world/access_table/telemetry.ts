import {
  all,
  holding,
  inPartRealm,
  inRealm,
  inRealmOrNone,
  type Rule,
} from '#tests/helpers/world/access_rules'

const seen = all(holding('event_read', 'event_delete'), inRealmOrNone)

/** Who may use which route of telemetry; of lists and streams, whose lines and events. */
export const TELEMETRY: Readonly<Record<string, Rule>> = {
  verifyEvents: holding('event_read'),
  exportEvents: holding('event_read'),
  searchEvents: seen,
  listEvent: seen,
  readEvent: seen,
  createEvent: all(holding('event_create'), inRealm),
  deleteEvent: all(holding('event_delete'), inRealm),

  createLog: all(holding('log_create'), inRealm),
  listLogs: all(holding('log_read', 'log_delete'), inPartRealm),
  deleteLogs: all(holding('log_delete'), inPartRealm),
}
