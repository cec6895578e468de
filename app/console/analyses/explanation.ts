import { nameIn, nodeNames, realmNames, type Names } from '#console/names'
import type { Page } from '#console/page'

interface Responsible {
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
  readonly output?: readonly string[]
}

export interface Condition {
  readonly code: string
  readonly holds: boolean
  readonly since: string | null
  readonly who: readonly Responsible[]
  readonly reason?: string
  readonly nodes?: readonly NodeExecution[]
}

/** The explanation of core: the conditions that an analysis waits for. */
export interface Explanation {
  readonly phase: string
  readonly ready: boolean
  readonly conditions: readonly Condition[]
}

/** The names of the users or nodes that have to act. */
export interface Actors {
  readonly nodes: Names
  readonly realms: Names
}

/** A sentence about the condition that blocks an analysis. */
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

/** The first blocking condition of each analysis; undefined without one, or without an explanation. */
export async function firstBlockers(
  page: Page,
  explanations: readonly (Explanation | undefined)[]
): Promise<(Blocker | undefined)[]> {
  const first = explanations.map((one) => one?.conditions.find(({ holds }) => !holds))
  const mentioned = mentionedIn(first.filter((condition) => condition !== undefined))
  const [nodes, realms] = await Promise.all([
    nodeNames(page, mentioned.nodes),
    realmNames(page, mentioned.realms),
  ])
  return first.map((condition) => condition && blockerOf(page, condition, { nodes, realms }))
}

/** The blocking condition, and who can change it. */
export function blockerOf(page: Page, condition: Condition, actors: Actors): Blocker {
  const { code, since, reason } = condition
  return {
    text: page.textOr(`analyses.conditions.${code}.unmet`, code),
    who: responsibleNames(page, condition.who, actors),
    since,
    reason,
  }
}

/** The sentence of the phase if no condition blocks it. */
export function readyText(page: Page, { phase }: Explanation): string {
  return page.textOr(`analyses.ready.${phase}`, phase)
}

/** The ids to look names up for. */
function mentionedIn(conditions: readonly Condition[]) {
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
      return page.t('analyses.who.node', { name: nameIn(nodes, nodeId) })
    }
    return realmId === undefined
      ? page.textOr(`analyses.who.${type}`, type)
      : page.t('analyses.who.realm', { name: nameIn(realms, realmId) })
  })
  const shown = names.slice(0, MAX_NAMES).join(', ')
  const rest = names.length - MAX_NAMES
  return rest > 0 ? page.t('analyses.who.more', { names: shown, count: rest }) : shown
}
