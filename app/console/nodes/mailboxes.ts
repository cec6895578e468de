import { HubFailure } from '#console/hub_failure'
import type { Page } from '#console/page'

/** What waits for a node at the messenger. */
interface Mailbox {
  readonly clientId: string
  readonly messages: number
  /** Whether more wait than were counted. */
  readonly hasMore: boolean
  readonly oldestAt: string | null
}

/** The mailboxes with messages of these clients, by client. Users see those of their realm. */
export async function readMailboxes(
  { hub }: Page,
  clientIds: readonly (string | null)[]
): Promise<ReadonlyMap<string, Mailbox>> {
  const clients = clientIds.filter((id) => id !== null)
  if (clients.length === 0) {
    return new Map()
  }
  const query = { clientId: clients.join() }
  const answer = await hub
    .read<{ data: Mailbox[] }>('messenger', '/mailboxes', query)
    .catch(withoutMessenger)
  const filled = (answer?.data ?? []).filter(({ messages }) => messages > 0)
  return new Map(filled.map((mailbox) => [mailbox.clientId, mailbox]))
}

/** Nodes are shown although the messenger is away, or is one of a former version. */
function withoutMessenger(error: unknown): undefined {
  if (!(error instanceof HubFailure) || error.status === 401) {
    throw error
  }
}

/** What waits for a node in words, and since when; undefined if nothing does. */
export function mailboxOf(page: Page, mailbox: Mailbox | undefined) {
  if (!mailbox) {
    return undefined
  }
  const { messages, hasMore, oldestAt } = mailbox
  const key = hasMore ? 'nodes.mailbox.more' : 'nodes.mailbox.messages'
  return { text: page.t(key, { count: messages }), oldestAt }
}
