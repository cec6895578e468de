import type { RemoteSurface } from '#auth/remote_surface'
import { orUnavailable } from '#auth/or_unavailable'
import { ownRequest, type OwnResponse } from '#auth/own_request'
import { EntityConflict } from '#kernel/failures'
import type { Issue } from '#kernel/issues'
import type { CodeRecords } from './code_records.js'

/** Core waits for whoever is changing the analysis. */
const TIMEOUT_MS = 20_000

/** The records of code at a core that runs elsewhere, removed in the name of the caller. */
export function remoteCodeRecords(core: RemoteSurface): CodeRecords {
  return {
    async remove({ actor }, removal) {
      const { kind, id, name, realmId, realmName } = actor
      const body = { ...removal, actor: { kind, id, name, realmId, realmName } }
      const answer = await ask(core, body)
      if (answer.status === 409) {
        const { message, issues } = JSON.parse(answer.text) as { message: string; issues: Issue[] }
        throw new EntityConflict(message, { issues })
      }
    },
  }
}

/** The answer of success, or the conflict. */
function ask(core: RemoteSurface, body: object): Promise<OwnResponse> {
  const message =
    'Whether the locked analysis is being built cannot be determined now: try again shortly'
  return orUnavailable({ service: 'core', message }, async () => {
    const options = { method: 'POST', body, limitMs: TIMEOUT_MS } as const
    const answer = await ownRequest(core, '/code-removals', options)
    if (answer.status >= 300 && answer.status !== 409) {
      throw new Error(`status ${answer.status}`)
    }
    return answer
  })
}
