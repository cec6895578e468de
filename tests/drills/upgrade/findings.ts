import type { Journal } from '#tests/chaos/journal'
import { judge } from '#tests/chaos/judge'
import { problems as messageProblems } from '#tests/chaos/messenger/kills'
import type { Note } from '#tests/chaos/note'
import type { Observer } from '#tests/chaos/observer'
import { none, type Finding } from '#tests/drills/report'
import { eventually } from '#tests/helpers/eventually'
import { fetchAnew } from '#tests/helpers/http/fetch_anew'
import { logIn } from '#tests/services/servers/served_pool'
import type { Installation } from './installation.js'
import type { Load } from './load.js'

const ARRIVED_WITHIN_MS = 120_000

const EVENTS_OF_NODES = `select id from events where ref_type = 'node'`

/** What clients were answered, and what the database and an observer of the bus know. */
export interface Evidence {
  readonly load: Load
  readonly journal: Journal
  readonly observer: Observer
}

interface UpgradeEvidence extends Evidence {
  readonly installation: Installation
}

/** Waits until everything that was written has arrived, and compares what clients were answered with what there is. */
export async function findings(evidence: UpgradeEvidence): Promise<Finding[]> {
  const { installation, load } = evidence
  const { balancer } = installation
  const surprises = load.surprises
  return [
    {
      what: `${balancer.answered} requests were answered: none with 5xx, none cut off`,
      problems: balancer.failures,
    },
    { what: 'clients got no answer that they did not expect', problems: surprises },
    await changes(evidence),
    messages(load),
    await uploads(load),
    builds(load),
    await events(evidence),
    { what: 'the stream of events reconnected', problems: none(load.parts.events.reconnects) },
    await sockets(evidence),
    await trail(installation.origin),
  ]
}

/** Waits until everything that was written has arrived, but for what was written of some records. */
export async function changes(
  { journal, observer, load }: Evidence,
  isFormer: (record: string) => boolean = () => false
): Promise<Finding> {
  const isOwn = ({ record }: Note) => !isFormer(record)
  const stored = (await journal.stored()).filter(isOwn)
  const last = stored.at(-1)?.number ?? 0
  const now = new Date()
  // The costly question comes last, since it is asked until all answers are yes.
  await eventually(
    async () =>
      stored.every((note) => observer.hasObserved(note)) &&
      (await journal.waiting(now)) === 0 &&
      (await journal.unaudited(0, last)) === 0,
    ARRIVED_WITHIN_MS
  ).catch(() => {})
  const promised = load.parts.writers.flatMap((writer) => writer.promised)
  const problems = judge({
    kept: stored,
    promised,
    heard: observer.heard.filter(isOwn),
    audited: (await journal.audited()).filter(isOwn),
  })
  const what = `${promised.length} acknowledged changes are stored, were published in order, and are audited once`
  return { what, problems: [...problems, ...none(promised.length)] }
}

export function messages({ parts: { ledger } }: Load): Finding {
  const { counts } = ledger
  const what = `${counts.accepted} acknowledged messages were delivered in order, each under one id`
  return { what, problems: messageProblems(counts) }
}

/** Reads every file again. */
export async function uploads({ parts: { forms, resumable } }: Load): Promise<Finding> {
  const missing = [...(await forms.missing()), ...(await resumable.missing())]
  const what =
    `${forms.accepted.length} uploads and ${resumable.accepted.length} resumable ones are what was sent; ` +
    `${resumable.resumed} requests broke off and continued`
  const counts = [forms.accepted.length, resumable.accepted.length]
  return { what, problems: [...missing, ...counts.flatMap(none)] }
}

function builds({ parts: { builder } }: Load): Finding {
  const what = `${builder.executed} builds were executed`
  return { what, problems: [...builder.surprises, ...none(builder.executed)] }
}

/** All events of nodes but those that the stream is too late for have to reach it. */
export async function events(
  { journal, load }: Evidence,
  isLate: (id: string) => boolean = () => false
): Promise<Finding> {
  const { events: listener } = load.parts
  const { rows: all } = await journal.pool.query<{ id: string }>(EVENTS_OF_NODES)
  const rows = all.filter(({ id }) => !isLate(id))
  const isWhole = () => rows.every(({ id }) => listener.received.has(id))
  await eventually(isWhole, ARRIVED_WITHIN_MS).catch(() => {})
  const wrong = rows.flatMap(({ id }) => {
    const times = listener.received.get(id) ?? 0
    return times === 1 ? [] : [`${id} came ${times} times`]
  })
  const what = `${rows.length} events reached their stream once, which reconnected ${listener.reconnects} times`
  return { what, problems: wrong }
}

/** Changes while a socket is away are not repeated, so that it is tried with one more. */
async function sockets({ load }: Evidence): Promise<Finding> {
  const { client, socket } = load.parts
  const { body } = await client.send('POST', '/nodes', { name: 'after-everything' })
  const isReceived = await socket.receives(body.data!.id)
  const what = `a socket reconnected ${socket.reconnects} times and received ${socket.receivedCount} new nodes`
  const problems = isReceived ? [] : ['the last one was not received']
  return { what, problems: [...problems, ...none(socket.reconnects)] }
}

export async function trail(origin: string): Promise<Finding> {
  const response = await fetchAnew(`${origin}/telemetry/events/verify`, {
    headers: { authorization: `Bearer ${await logIn(origin)}` },
  })
  const text = await response.text()
  const isIntact = response.status === 200 && JSON.parse(text).data.intact === true
  return { what: 'the seal of the audit trail is intact', problems: isIntact ? [] : [text] }
}
