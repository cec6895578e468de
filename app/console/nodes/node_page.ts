import { RUNNING } from '#console/analyses/records'
import { realmNames } from '#console/names'
import { quoted } from '#console/lists'
import type { Page, View } from '#console/page'
import { isRealmWritable } from '#kernel/realm'
import { mailboxOf, readMailboxes } from './mailboxes.js'
import { clockText, type NodeRow } from './nodes_page.js'
import { drawPresence, readPresence } from './presence.js'

const LIMIT = 20
const LINE_WIDTH = 720

interface AssignmentRow {
  readonly id: string
  readonly approvalStatus: string | null
  readonly executionStatus: string | null
  readonly executionProgress: number | null
  readonly updatedAt: string
  readonly analysis: {
    readonly id: string
    readonly name: string
    readonly displayName: string | null
  }
}

/** Shows a node: its presence during the last day, its report, its runs, and its secret. */
export async function showNode(page: Page): Promise<View> {
  const id = page.uuid('id')
  const { data: node } = await page.hub.read<{ data: NodeRow }>('core', `/nodes/${id}`)
  const [presence, running, waiting, mailboxes, realms] = await Promise.all([
    readPresence(page, id),
    assignmentsOf(page, id, `in(executionStatus,${RUNNING.map(quoted).join()})`),
    assignmentsOf(page, id, 'eq(approvalStatus,null)'),
    readMailboxes(page, [node.clientId]),
    realmNames(page, [node.realmId]),
  ])
  const mayRotate = page.may('node_update') && isRealmWritable(page.actor, node.realmId)
  return page.view('nodes/one', {
    title: node.name,
    node,
    type: page.textOr(`nodes.types.${node.type}`, node.type),
    presence,
    line: presence && drawPresence(page, presence, LINE_WIDTH),
    spans: presence?.spans.toReversed() ?? [],
    clock: presence && clockText(page, presence),
    unbounded:
      presence?.unbounded?.map((what) => page.textOr(`nodes.unbounded.${what}`, what)) ?? [],
    running,
    waiting,
    mailbox: mailboxOf(page, mailboxes.get(node.clientId ?? '')),
    realm: realms.get(node.realmId) ?? node.realmId,
    canRotate: mayRotate && node.clientId !== null,
  })
}

async function assignmentsOf(page: Page, nodeId: string, condition: string) {
  const listing = await page.hub.optional(
    page.hub.list<AssignmentRow>('core', '/analysis-nodes', {
      'filter': `and(eq(nodeId,'${nodeId}'),${condition})`,
      'include': 'analysis',
      'sort': '-updatedAt',
      'page[limit]': LIMIT,
    })
  )
  return { total: listing?.meta.total ?? 0, rows: listing?.data ?? [] }
}

interface Credentials {
  readonly id: string
  readonly name: string
  readonly secret: string | null
}

/** Replaces the secret of a node and shows the new one once. Browsers do not store the page. */
export async function rotateSecret(page: Page): Promise<View> {
  const id = page.uuid('id')
  const { data: node } = await page.hub.read<{ data: NodeRow }>('core', `/nodes/${id}`)
  page.requireConfirmation(node.name, `/nodes/${id}`)
  const credentials = await page.hub.post<Credentials>('core', `/nodes/${id}/client/credentials`)
  return page.view('nodes/secret', { title: page.t('nodes.rotate.done'), node, credentials })
}
