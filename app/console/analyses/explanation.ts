import type { Names } from '#console/names'
import type { Page } from '#console/page'

export interface Responsible {
  readonly type: string
  readonly realmId?: string
  readonly nodeId?: string
}

export interface NodeExecution {
  readonly nodeId: string
  readonly approved: boolean
  readonly status: string | null
  readonly since: string
  readonly progress: number | null
  readonly awaySince: string | null
  readonly message?: string
}

export interface Condition {
  readonly code: string
  readonly holds: boolean
  readonly since: string | null
  readonly who: readonly Responsible[]
  readonly reason?: string
  readonly nodes?: readonly NodeExecution[]
}

/** What an analysis waits for, as core explains it. */
export interface Explanation {
  readonly phase: string
  readonly ready: boolean
  readonly conditions: readonly Condition[]
}

/** Names of those who have to act. */
export interface Actors {
  readonly nodes: Names
  readonly realms: Names
}

/** What blocks an analysis, in a sentence. */
export interface Blocker {
  readonly text: string
  readonly who: string
  readonly since: string | null
  readonly reason: string | undefined
}

export async function readExplanation(page: Page, id: string): Promise<Explanation> {
  const { data } = await page.hub.read<{ data: Explanation }>('core', `/analyses/${id}/explain`)
  return data
}

/** The conditions that do not hold, of all processes. */
export const unmetConditions = ({ conditions }: Explanation): Condition[] =>
  conditions.filter(({ holds }) => !holds)

/** What is wrong and who can change it. */
export function blockerOf(page: Page, condition: Condition, actors: Actors): Blocker {
  const { code, since, reason } = condition
  return {
    text: page.textOr(`analyses.conditions.${code}.unmet`, code),
    who: responsibleNames(page, condition.who, actors),
    since,
    reason,
  }
}

/** The phase's own sentence if nothing blocks it. */
export function readyText(page: Page, { phase }: Explanation): string {
  return page.textOr(`analyses.ready.${phase}`, phase)
}

/** The ids that names are needed for. */
export function mentionedIn(conditions: readonly Condition[]) {
  const who = conditions.flatMap((condition) => condition.who)
  return {
    nodes: who.map(({ nodeId }) => nodeId),
    realms: who.filter(({ nodeId }) => nodeId === undefined).map(({ realmId }) => realmId),
  }
}

const MAX_NAMES = 3

function responsibleNames(
  page: Page,
  who: readonly Responsible[],
  { nodes, realms }: Actors
): string {
  const names = who.map(({ type, nodeId, realmId }) => {
    if (nodeId !== undefined) {
      return page.t('analyses.who.node', { name: nodes.get(nodeId) ?? nodeId.slice(0, 8) })
    }
    return realmId === undefined
      ? page.textOr(`analyses.who.${type}`, type)
      : page.t('analyses.who.realm', { name: realms.get(realmId) ?? realmId.slice(0, 8) })
  })
  const shown = names.slice(0, MAX_NAMES).join(', ')
  const rest = names.length - MAX_NAMES
  return rest > 0 ? page.t('analyses.who.more', { names: shown, count: rest }) : shown
}
