import type { Answer } from '#client/answer'
import { HubFailure } from '#console/hub_failure'
import type { Page } from '#console/page'

type Mailboxes = Answer<'messenger.readMailboxes'>
type Mailbox = Mailboxes['data'][number]

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
  const answer = await hub.read<Mailboxes>('messenger', '/mailboxes', query).catch(withoutMessenger)
  const filled = (answer?.data ?? []).filter(({ messages }) => messages > 0)
  return new Map(filled.map((mailbox) => [mailbox.clientId, mailbox]))
}

/** Nodes are shown even if the messenger is unavailable or of a former version. */
function withoutMessenger(error: unknown): undefined {
  if (!(error instanceof HubFailure) || error.status === 401) {
    throw error
  }
}

/** A sentence about waiting messages and their age; undefined without messages. */
export function mailboxOf(page: Page, mailbox: Mailbox | undefined) {
  if (!mailbox) {
    return undefined
  }
  const { messages, hasMore, oldestAt } = mailbox
  const key = hasMore ? 'nodes.mailbox.more' : 'nodes.mailbox.messages'
  return { text: page.t(key, { count: messages }), oldestAt }
}
