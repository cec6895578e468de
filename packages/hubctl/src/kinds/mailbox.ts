import type { Answer } from '#client/answer'
import { EXIT } from '#hubctl/exit_codes'
import type { Api } from '#hubctl/platform/api'
import type { Fields } from '#hubctl/platform/pages'
import { readByIds } from '#hubctl/platform/read_by_ids'
import { Problem } from '#hubctl/problem'

type Mailboxes = Answer<'messenger.readMailboxes'>
export type Mailbox = Mailboxes['data'][number]

/** The nodes with `oldestMessage`: when the oldest message that waits was sent. */
export async function withOldestMessage(
  api: Api,
  nodes: readonly Fields[]
): Promise<readonly Fields[]> {
  const clients = nodes.map(({ clientId }) => clientId).filter((id) => typeof id === 'string')
  const mailboxes = await readByIds(clients, (some) => readMailboxes(api, some))
  const oldest = new Map<unknown, string | null>(
    mailboxes.map(({ clientId, oldestAt }) => [clientId, oldestAt])
  )
  return nodes.map((node) => ({ ...node, oldestMessage: oldest.get(node.clientId) ?? null }))
}

/** The mailboxes that the caller may see; none if the messenger is away or is one of the former version. */
export async function readMailboxes(
  api: Api,
  clientIds: readonly string[]
): Promise<readonly Mailbox[]> {
  const query = new URLSearchParams({ clientId: clientIds.join() })
  try {
    const { data } = await api.read<Mailboxes>('messenger', '/mailboxes', {
      query,
    })
    return data
  } catch (error) {
    if (error instanceof Problem && error.exitCode !== EXIT.login) {
      return []
    }
    throw error
  }
}
