import type { Api } from '#hubctl/platform/api'
import { ApiError } from '#hubctl/platform/api_error'
import type { Fields } from '#hubctl/platform/pages'
import { readByIds } from '#hubctl/platform/read_by_ids'
import { NODES } from './record_collections.js'

interface NodeState extends Fields {
  readonly nodeId: string
  readonly since: string | null
}

/** The nodes with `since`: when they came online, or their last sign of life. */
export async function withPresence(api: Api, nodes: readonly Fields[]): Promise<readonly Fields[]> {
  const ids = nodes.map(({ id }) => String(id))
  const states = await readByIds(ids, (some) => readStates(api, some))
  const since = new Map(states.map((state) => [state.nodeId, state.since]))
  return nodes.map((node) => ({ ...node, since: since.get(String(node.id)) ?? null }))
}

/** Hubs of the former version do not know this. */
async function readStates(api: Api, ids: readonly string[]): Promise<readonly NodeState[]> {
  const query = new URLSearchParams({ nodeId: ids.join() })
  try {
    const { data } = await api.read<{ data: readonly NodeState[] }>(
      NODES.service,
      '/node-presence',
      { query }
    )
    return data
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) {
      return []
    }
    throw error
  }
}
