import { nameIn, realmNames } from '#console/names'
import type { Page, View } from '#console/page'
import { addressWith, allOf, offsetOf, quoted, searchTextOf } from '#console/lists'
import { mailboxOf, readMailboxes } from './mailboxes.js'
import { drawPresence, readPresence, type Presence } from './presence.js'

/** Nodes per page. The presence of each takes a request. */
const LIMIT = 25
const LINE_WIDTH = 192
/** The maximum number of runs that are counted. */
const MAX_RUNS = 50

export interface NodeRow {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly online: boolean
  readonly realmId: string
  readonly clientId: string | null
  readonly registryId: string | null
  readonly createdAt: string
}

/** Lists the nodes with presence, version and number of runs. */
export async function showNodes(page: Page): Promise<View> {
  const offset = offsetOf(page.query)
  const name = searchTextOf(page.query)
  const state = page.query.get('state') ?? ''
  const { data: nodes, meta } = await page.hub.list<NodeRow>('core', '/nodes', {
    'filter': filterOf(name, state),
    'sort': 'name',
    'page[limit]': LIMIT,
    'page[offset]': offset,
  })
  const ids = nodes.map(({ id }) => id)
  const [presences, runs, mailboxes, realms] = await Promise.all([
    Promise.all(ids.map((id) => readPresence(page, id))),
    countRuns(page, ids),
    readMailboxes(
      page,
      nodes.map(({ clientId }) => clientId)
    ),
    realmNames(
      page,
      nodes.map(({ realmId }) => realmId)
    ),
  ])
  return page.view('nodes/list', {
    title: page.t('nodes.title'),
    nodes: nodes.map((node, index) => ({
      ...node,
      ...stateOf(page, presences[index]),
      mailbox: mailboxOf(page, mailboxes.get(node.clientId ?? '')),
      realm: nameIn(realms, node.realmId),
      runs: runs.get(node.id) ?? 0,
    })),
    name,
    state,
    states: ['', ...Object.keys(STATES)],
    total: meta.total,
    limit: LIMIT,
    offset,
    href: (to: number) => page.url(addressWith('/nodes', { name, state, offset: to })),
  })
}

const STATES: Readonly<Record<string, string>> = {
  online: "eq(online,'true')",
  away: "eq(online,'false')",
}

const filterOf = (name: string, state: string): string | undefined =>
  allOf([name === '' ? undefined : `contains(name,${quoted(name)})`, STATES[state]])

function stateOf(page: Page, presence: Presence | undefined) {
  return {
    since: presence?.since ?? null,
    version: presence?.version ?? null,
    clock: presence ? clockText(page, presence) : undefined,
    line: presence && drawPresence(page, presence, LINE_WIDTH),
  }
}

/** A difference that breaks tokens and messages, which depend on the time. */
const NOTABLE_MS = 2_000

/** The difference of the clock, and whether it is too large. */
export function clockText(page: Page, { clockDifferenceMs: difference }: Presence) {
  return difference === null
    ? undefined
    : {
        text: page.t('nodes.clock', { seconds: (difference / 1_000).toFixed(1) }),
        isNotable: Math.abs(difference) >= NOTABLE_MS,
      }
}

/** The number of runs at each node. */
async function countRuns(page: Page, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) {
    return new Map()
  }
  const listing = await page.hub.optional(
    page.hub.list<{ nodeId: string }>('core', '/analysis-nodes', {
      'filter[nodeId]': ids.join(),
      'filter[executionStatus]': 'executing',
      'page[limit]': MAX_RUNS,
    })
  )
  const byNode = Map.groupBy(listing?.data ?? [], ({ nodeId }) => nodeId)
  return new Map([...byNode].map(([id, rows]) => [id, rows.length]))
}
