import { clock } from '#kernel/clock'
import { event } from '#telemetry/events/event'
import { sampleRecord } from '#tests/helpers/sample_records'
import type { RealmName } from '#tests/helpers/world/people'
import type { Row } from '#tests/helpers/world/row'
import type { World } from '#tests/helpers/world/world'
import { send, type WorldRequest } from '#tests/helpers/world/world_request'
import { LineOwners } from '#telemetry/logs/line_owners'
import { localLogs } from '#telemetry/logs/local_logs'
import { LogStore } from '#telemetry/logs/log_store'
import { boot } from '#tests/helpers/application'
import { analysisRow, INSTALLATION, someAnalyses } from './facts.js'
import type { RequestMaker } from './kinds.js'

const REALM_NAMES = ['institute', 'north', undefined] as const

interface Labels {
  readonly analysisId: string
  readonly run: string
}

const aLine = (labels: Labels) => ({
  message: 'A line',
  service: 'pipeline',
  level: 'info' as const,
  channel: 'http' as const,
  labels: { refType: 'analysis', refId: labels.analysisId, ...labels },
})

interface StoredEvent {
  readonly id: string
  readonly refId: string
  readonly row: Row
}

async function newEvent({ realms }: World, realm?: RealmName): Promise<StoredEvent> {
  const refId = clock.uuid()
  const realmId = realm ? realms[realm] : null
  const name = 'an-event'
  const made = await sampleRecord('telemetry', event, {
    realmId: realmId ?? undefined,
    refId,
    name,
  })
  const id = made.id as string
  return { id, refId, row: { name: `an event of ${realm ?? 'no realm'}`, id, realmId } }
}

/** One request about an event of each of two realms. */
const ofEvents = (ask: (stored: StoredEvent) => Omit<WorldRequest, 'row'>): RequestMaker[] =>
  REALM_NAMES.slice(0, 2).map((realm) => async (world) => {
    const stored = await newEvent(world, realm)
    return { ...ask(stored), row: stored.row }
  })

const linesOf = (run: string) => ({
  method: 'GET',
  path: `/logs?filter[run]=${run}`,
  isList: true,
})

/** Lines about analyses, as their realms report them. */
const ofLines = (
  ask: (labels: Labels, world: World) => Omit<WorldRequest, 'row'>
): RequestMaker[] =>
  [0, 1, 2, 3].map((place) => async (world) => {
    const analysis = someAnalyses(world)[place]!
    const labels = { analysisId: analysis.id, run: clock.uuid() }
    const { container } = await boot()
    const store = await container.make(LogStore)
    const owners = await container.make(LineOwners)
    await localLogs(store, owners).write({ ...aLine(labels), time: new Date().toISOString() })
    return { ...ask(labels, world), row: analysisRow(analysis, { called: 'log' }) }
  })

/** What to send for the routes of telemetry. */
export const TELEMETRY_REQUESTS: Readonly<Record<string, readonly RequestMaker[]>> = {
  verifyEvents: [
    // One verification at a time: the others are let in, and wait.
    async () => ({ method: 'GET', path: '/events/verify', letIn: [503], row: INSTALLATION }),
  ],
  exportEvents: [async () => ({ method: 'GET', path: '/events/export', row: INSTALLATION })],
  searchEvents: ofEvents(({ id, refId }) => ({
    method: 'GET',
    path: `/events/search?refId=${refId}`,
    finds: id,
  })),
  listEvent: ofEvents(({ refId }) => ({
    method: 'GET',
    path: `/events?filter[refId]=${refId}`,
    isList: true,
  })),
  readEvent: ofEvents(({ id }) => ({ method: 'GET', path: `/events/${id}` })),
  deleteEvent: ofEvents(({ id }) => ({ method: 'DELETE', path: `/events/${id}` })),
  createEvent: (['institute', 'north'] as const).map((realm) => async ({ realms, nodes }) => ({
    method: 'POST',
    path: '/events',
    body: {
      refType: 'node',
      refId: nodes[realm].id,
      scope: 'entity',
      name: 'updated',
      realmId: realms[realm],
    },
    row: { name: `an event about the node of the ${realm}`, id: '', realmId: realms[realm] },
  })),

  createLog: ofLines((labels) => ({ method: 'POST', path: '/logs', body: aLine(labels) })),
  listLogs: ofLines(({ run }) => linesOf(run)),
  deleteLogs: ofLines(({ run }, { people }) => ({
    method: 'DELETE',
    path: `/logs?filter[run]=${run}`,
    remains: async () => {
      const seen = await send(
        'telemetry',
        { ...linesOf(run), row: INSTALLATION },
        people.masterAdmin
      )
      return seen.outcome === 'allowed'
    },
  })),
}
