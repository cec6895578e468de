import type { Api } from '#hubctl/platform/api'
import { ApiError } from '#hubctl/platform/api_error'
import type { Fields } from '#hubctl/platform/pages'
import { NODES } from './record_collections.js'

/** As many as one request may name. */
const NODES_AT_ONCE = 50

interface NodeState extends Fields {
  readonly nodeId: string
  readonly since: string | null
}

/** The nodes with `since`: when they came online, or their last sign of life. */
export async function withPresence(api: Api, nodes: readonly Fields[]): Promise<readonly Fields[]> {
  const ids = nodes.map(({ id }) => String(id))
  const since = new Map<string, string | null>()
  for (let start = 0; start < ids.length; start += NODES_AT_ONCE) {
    const states = await readStates(api, ids.slice(start, start + NODES_AT_ONCE))
    states.forEach((state) => since.set(state.nodeId, state.since))
  }
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
